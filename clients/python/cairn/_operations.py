# Made by `npm run docs` from the OpenAPI document; a test fails where they differ.
"""A method for each operation of the API."""

from __future__ import annotations

from typing import Any, Iterator, List, Literal, Optional, Union, cast

from . import types as t
from ._transport import Body, Transport, path_of


class Operations(Transport):
    """The operations of the API; :class:`cairn.Client` adds pages, events and uploads."""

    def get_idp(self, *, consistent: Optional[bool] = None) -> t.IdentityProviderSettings:
        """Read the identity provider settings.

        :param consistent: true: the answer of any server of a cluster holds everything that was acknowledged before the question
        """
        answer = self.request(
            "GET",
            "/api/v1/security/idp",
            query={"consistent": consistent},
        )
        return cast("t.IdentityProviderSettings", answer.data)

    def enable_idp(self, body: t.IdentityProvider) -> t.IdentityProvider:
        """Enable the identity provider after checking every setting against it."""
        answer = self.request(
            "PUT",
            "/api/v1/security/idp",
            body=body,
        )
        return cast("t.IdentityProvider", answer.data)

    def disable_idp(self) -> t.Configuration:
        """Disable the identity provider."""
        answer = self.request(
            "DELETE",
            "/api/v1/security/idp",
        )
        return cast("t.Configuration", answer.data)

    def make_node_token(self, body: t.NodeTokenRequest) -> t.NodeToken:
        """Create a node token, or, without nodeId, a join token that is valid only for registering."""
        answer = self.request(
            "POST",
            "/api/v1/security/nodeToken",
            body=body,
        )
        return cast("t.NodeToken", answer.data)

    def revoke_join_tokens(self) -> t.JoinTokenRevocation:
        """Revoke every join token created so far."""
        answer = self.request(
            "DELETE",
            "/api/v1/security/nodeToken",
        )
        return cast("t.JoinTokenRevocation", answer.data)

    def revoke_node_token(self, id: t.Id) -> t.NodeTokenRevocation:
        """Revoke every token issued to the node so far."""
        answer = self.request(
            "DELETE",
            path_of("/api/v1/security/nodeToken/{id}", id=id),
        )
        return cast("t.NodeTokenRevocation", answer.data)

    def rotate_node_key(self, body: Optional[t.NodeKeyRequest] = None) -> t.NodeTokenKey:
        """Sign node tokens with a new key from now on."""
        answer = self.request(
            "POST",
            "/api/v1/security/nodeKey",
            body=body,
        )
        return cast("t.NodeTokenKey", answer.data)

    def make_service_token(self, body: t.ServiceTokenRequest) -> t.CreatedServiceToken:
        """Create a service token: a role for a program, everywhere or for some queues."""
        answer = self.request(
            "POST",
            "/api/v1/security/serviceToken",
            body=body,
        )
        return cast("t.CreatedServiceToken", answer.data)

    def list_service_tokens(self, *, consistent: Optional[bool] = None) -> t.ServiceTokenList:
        """List the service tokens that are valid, without the tokens themselves.

        :param consistent: true: the answer of any server of a cluster holds everything that was acknowledged before the question
        """
        answer = self.request(
            "GET",
            "/api/v1/security/serviceToken",
            query={"consistent": consistent},
        )
        return cast("t.ServiceTokenList", answer.data)

    def revoke_service_token(self, id: str) -> t.IdReply:
        """Revoke a service token; it is invalid when the call is answered."""
        answer = self.request(
            "DELETE",
            path_of("/api/v1/security/serviceToken/{id}", id=id),
        )
        return cast("t.IdReply", answer.data)

    def get_me(self, *, consistent: Optional[bool] = None) -> t.Caller:
        """Read who the caller is and which roles the caller has.

        :param consistent: true: the answer of any server of a cluster holds everything that was acknowledged before the question
        """
        answer = self.request(
            "GET",
            "/api/v1/security/me",
            query={"consistent": consistent},
        )
        return cast("t.Caller", answer.data)

    def get_audit(
        self,
        *,
        limit: Optional[int] = None,
        before: Optional[int] = None,
        consistent: Optional[bool] = None,
    ) -> t.AuditRecordList:
        """Read the audit log: who changed what, and from where; newest first.

        :param limit: Number of records, 1 to 1000; defaults to 100
        :param before: Only records with a smaller number
        :param consistent: true: the answer of any server of a cluster holds everything that was acknowledged before the question
        """
        answer = self.request(
            "GET",
            "/api/v1/audit",
            query={"limit": limit, "before": before, "consistent": consistent},
        )
        return cast("t.AuditRecordList", answer.data)

    def get_config(self, *, consistent: Optional[bool] = None) -> t.Configuration:
        """Read the configuration.

        :param consistent: true: the answer of any server of a cluster holds everything that was acknowledged before the question
        """
        answer = self.request(
            "GET",
            "/api/v1/config",
            query={"consistent": consistent},
        )
        return cast("t.Configuration", answer.data)

    def put_config_kv(self, body: t.ConfigurationChanges) -> t.Configuration:
        """Change configuration values by dotted path; all or nothing."""
        answer = self.request(
            "PUT",
            "/api/v1/configKV",
            body=body,
        )
        return cast("t.Configuration", answer.data)

    def put_ckpt_config(self, body: t.CheckpointChanges) -> t.Configuration:
        """Change checkpoint settings, natively typed; use PUT /api/v1/configKV."""
        answer = self.request(
            "PUT",
            "/api/v1/ckptConfig",
            body=body,
        )
        return cast("t.Configuration", answer.data)

    def get_config_history(self, *, consistent: Optional[bool] = None) -> t.ConfigurationHistory:
        """List the last 100 configuration changes, newest first.

        :param consistent: true: the answer of any server of a cluster holds everything that was acknowledged before the question
        """
        answer = self.request(
            "GET",
            "/api/v1/config/history",
            query={"consistent": consistent},
        )
        return cast("t.ConfigurationHistory", answer.data)

    def get_summary(
        self,
        *,
        start: Optional[t.Timestamp] = None,
        end: Optional[t.Timestamp] = None,
        fields: Optional[str] = None,
        consistent: Optional[bool] = None,
    ) -> t.Summary:
        """Read the sums of every job metric by queue over a time range.

        :param start: Start of the range, RFC 3339; defaults to the oldest retained data
        :param end: End of the range, exclusive; defaults to the newest retained data
        :param fields: Only these keys of items, separated by commas, such as runtime or metricDef-jobCost
        :param consistent: true: the answer of any server of a cluster holds everything that was acknowledged before the question
        """
        answer = self.request(
            "GET",
            "/api/v1/metrics/summary",
            query={"start": start, "end": end, "fields": fields, "consistent": consistent},
        )
        return cast("t.Summary", answer.data)

    def list_metrics(
        self,
        *,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        object: Optional[str] = None,
        definition: Optional[str] = None,
        q: Optional[str] = None,
        consistent: Optional[bool] = None,
    ) -> t.MetricList:
        """List every series with its definition, object and levels.

        :param limit: Entries per page, 1 to 10,000; the Link header names the next page. Defaults to all entries
        :param cursor: Where the page begins, from the Link header of the previous page
        :param object: Only series of this object: system-total, queue-<name>, node-<id>, or a custom object
        :param definition: Only series of this metric definition, with or without the prefix metricDef-
        :param q: Only series whose name, id or description contains every word of this text, ignoring case
        :param consistent: true: the answer of any server of a cluster holds everything that was acknowledged before the question
        """
        answer = self.request(
            "GET",
            "/api/v1/metric",
            query={"limit": limit, "cursor": cursor, "object": object, "definition": definition, "q": q, "consistent": consistent},
        )
        return cast("t.MetricList", answer.data)

    def iterate_metrics(
        self,
        *,
        object: Optional[str] = None,
        definition: Optional[str] = None,
        q: Optional[str] = None,
        consistent: Optional[bool] = None,
        page_size: int = 1000,
    ) -> Iterator[t.Metric]:
        """List every series with its definition, object and levels, one by one: pages of `page_size` (at most 10,000) are read as they are needed.

        :param object: Only series of this object: system-total, queue-<name>, node-<id>, or a custom object
        :param definition: Only series of this metric definition, with or without the prefix metricDef-
        :param q: Only series whose name, id or description contains every word of this text, ignoring case
        :param consistent: true: the answer of any server of a cluster holds everything that was acknowledged before the question
        """
        return self.items(
            "/api/v1/metric",
            query={"limit": page_size, "object": object, "definition": definition, "q": q, "consistent": consistent},
        )

    def put_metric(self, id: t.Id, body: t.MetricDefinitionRequest) -> t.DefinedMetric:
        """Define a custom metric."""
        answer = self.request(
            "PUT",
            path_of("/api/v1/metric/{id}", id=id),
            body=body,
        )
        return cast("t.DefinedMetric", answer.data)

    def get_series(
        self,
        object_id: t.ObjectId,
        definition_id: t.Id,
        *,
        interval: Optional[str] = None,
        start: Optional[t.Timestamp] = None,
        end: Optional[t.Timestamp] = None,
        agg: Optional[Literal["sum", "count", "avg", "min", "max", "last"]] = None,
        consistent: Optional[bool] = None,
    ) -> t.Series:
        """Read the time series of one metric of one object.

        :param interval: Level, as a duration: 1m, 30m or 24h; defaults to the finest that fits
        :param start: Start of the range, RFC 3339; defaults to 24 h before the end
        :param end: End of the range, exclusive; defaults to now
        :param agg: sum, count, avg, min, max or last; defaults to the definition’s aggregation
        :param consistent: true: the answer of any server of a cluster holds everything that was acknowledged before the question
        """
        answer = self.request(
            "GET",
            path_of("/api/v1/metricValue/{objectId}/{definitionId}", objectId=object_id, definitionId=definition_id),
            query={"interval": interval, "start": start, "end": end, "agg": agg, "consistent": consistent},
        )
        return cast("t.Series", answer.data)

    def post_samples(self, body: t.Samples) -> t.SampleReply:
        """Report samples."""
        answer = self.request(
            "POST",
            "/api/v1/metricValue",
            body=body,
        )
        return cast("t.SampleReply", answer.data)

    def get_log_config(self, *, consistent: Optional[bool] = None) -> t.LogConfiguration:
        """Read the log configuration.

        :param consistent: true: the answer of any server of a cluster holds everything that was acknowledged before the question
        """
        answer = self.request(
            "GET",
            "/api/v1/log/config",
            query={"consistent": consistent},
        )
        return cast("t.LogConfiguration", answer.data)

    def put_log_config(self, body: t.LogConfigurationChanges) -> t.LogConfiguration:
        """Change the log configuration."""
        answer = self.request(
            "PUT",
            "/api/v1/log/config",
            body=body,
        )
        return cast("t.LogConfiguration", answer.data)

    def get_node_file(
        self,
        id: t.Id,
        path: str,
        *,
        tail: Optional[int] = None,
        q: Optional[str] = None,
        words: Optional[str] = None,
        follow: Optional[bool] = None,
        job: Optional[t.Id] = None,
        consistent: Optional[bool] = None,
        range: Optional[str] = None,
    ) -> Body:
        """Read a node log file.

        The answer is read as it comes: use it in a `with` statement, and read, iterate or call `text()`.

        :param tail: Number of lines to return from the end of the log
        :param q: Only lines that contain this text
        :param words: Only lines that contain all of these words, in any order and case; name=value finds a field of a JSON line, "two words" stand together, -word leaves lines out
        :param follow: true: keep sending what is appended, until the job or node ends or the client disconnects
        :param job: Stop following when this job ends; defaults to when all jobs that run on the node have ended
        :param consistent: true: the answer of any server of a cluster holds everything that was acknowledged before the question
        :param range: Only these bytes; answered with 206
        """
        return self.open(
            "GET",
            path_of("/nodes/{id}/{path}", id=id, path=path),
            query={"tail": tail, "q": q, "words": words, "follow": follow, "job": job, "consistent": consistent},
            headers={"Range": range},
        )

    def list_nodes(
        self,
        *,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        sort: Optional[Literal["id", "hostName", "cloud", "arch", "cores", "memoryInMB", "zone", "region", "instanceType", "instanceId", "payType", "lastHeartbeat", "state", "-id", "-hostName", "-cloud", "-arch", "-cores", "-memoryInMB", "-zone", "-region", "-instanceType", "-instanceId", "-payType", "-lastHeartbeat", "-state"]] = None,
        fields: Optional[str] = None,
        state: Optional[Literal["running", "all", "alive", "late", "lost", "deregistered"]] = None,
        cloud: Optional[str] = None,
        zone: Optional[str] = None,
        instance_type: Optional[str] = None,
        pay_type: Optional[str] = None,
        heartbeat_after: Optional[t.Timestamp] = None,
        heartbeat_before: Optional[t.Timestamp] = None,
        q: Optional[str] = None,
        consistent: Optional[bool] = None,
    ) -> t.NodeList:
        """List worker nodes.

        :param limit: Nodes per page, 1 to 10,000; the Link header names the next page. Defaults to all nodes
        :param cursor: Where the page begins, from the Link header of the previous page
        :param sort: One of id, hostName, cloud, arch, cores, memoryInMB, zone, region, instanceType, instanceId, payType, lastHeartbeat, state; a leading - sorts in descending order. Defaults to id; ties are sorted by id
        :param fields: Only these fields, separated by commas: some of id, ips, hostName, cloud, arch, cores, cpuModel, cpuVendor, memoryInMB, instance, instance.zone, instance.instanceId, instance.instanceType, instance.region, instance.createTime, instance.payType, instance.pricePerHour, instance.onDemandPricePerHour, lastHeartbeat, state, drained, interruption, endedAt
        :param state: alive, late, lost, deregistered, or all; defaults to running nodes (alive and late)
        :param cloud: Only nodes of this cloud
        :param zone: Only nodes of this zone
        :param instance_type: Only nodes of this instance type
        :param pay_type: Only nodes of this pay type
        :param heartbeat_after: Only nodes whose last heartbeat is after this time, exclusive; RFC 3339
        :param heartbeat_before: Only nodes whose last heartbeat is before this time, exclusive; RFC 3339
        :param q: Only nodes with this text in id, host name, addresses, processor or instance, ignoring case
        :param consistent: true: the answer of any server of a cluster holds everything that was acknowledged before the question
        """
        answer = self.request(
            "GET",
            "/api/v1/node",
            query={"limit": limit, "cursor": cursor, "sort": sort, "fields": fields, "state": state, "cloud": cloud, "zone": zone, "instanceType": instance_type, "payType": pay_type, "heartbeatAfter": heartbeat_after, "heartbeatBefore": heartbeat_before, "q": q, "consistent": consistent},
        )
        return cast("t.NodeList", answer.data)

    def iterate_nodes(
        self,
        *,
        sort: Optional[Literal["id", "hostName", "cloud", "arch", "cores", "memoryInMB", "zone", "region", "instanceType", "instanceId", "payType", "lastHeartbeat", "state", "-id", "-hostName", "-cloud", "-arch", "-cores", "-memoryInMB", "-zone", "-region", "-instanceType", "-instanceId", "-payType", "-lastHeartbeat", "-state"]] = None,
        fields: Optional[str] = None,
        state: Optional[Literal["running", "all", "alive", "late", "lost", "deregistered"]] = None,
        cloud: Optional[str] = None,
        zone: Optional[str] = None,
        instance_type: Optional[str] = None,
        pay_type: Optional[str] = None,
        heartbeat_after: Optional[t.Timestamp] = None,
        heartbeat_before: Optional[t.Timestamp] = None,
        q: Optional[str] = None,
        consistent: Optional[bool] = None,
        page_size: int = 1000,
    ) -> Iterator[t.WorkerNode]:
        """List worker nodes, one by one: pages of `page_size` (at most 10,000) are read as they are needed.

        :param sort: One of id, hostName, cloud, arch, cores, memoryInMB, zone, region, instanceType, instanceId, payType, lastHeartbeat, state; a leading - sorts in descending order. Defaults to id; ties are sorted by id
        :param fields: Only these fields, separated by commas: some of id, ips, hostName, cloud, arch, cores, cpuModel, cpuVendor, memoryInMB, instance, instance.zone, instance.instanceId, instance.instanceType, instance.region, instance.createTime, instance.payType, instance.pricePerHour, instance.onDemandPricePerHour, lastHeartbeat, state, drained, interruption, endedAt
        :param state: alive, late, lost, deregistered, or all; defaults to running nodes (alive and late)
        :param cloud: Only nodes of this cloud
        :param zone: Only nodes of this zone
        :param instance_type: Only nodes of this instance type
        :param pay_type: Only nodes of this pay type
        :param heartbeat_after: Only nodes whose last heartbeat is after this time, exclusive; RFC 3339
        :param heartbeat_before: Only nodes whose last heartbeat is before this time, exclusive; RFC 3339
        :param q: Only nodes with this text in id, host name, addresses, processor or instance, ignoring case
        :param consistent: true: the answer of any server of a cluster holds everything that was acknowledged before the question
        """
        return self.items(
            "/api/v1/node",
            query={"limit": page_size, "sort": sort, "fields": fields, "state": state, "cloud": cloud, "zone": zone, "instanceType": instance_type, "payType": pay_type, "heartbeatAfter": heartbeat_after, "heartbeatBefore": heartbeat_before, "q": q, "consistent": consistent},
        )

    def get_node(self, id: t.Id, *, consistent: Optional[bool] = None) -> t.WorkerNode:
        """Read one node, including a lost or deregistered one.

        :param consistent: true: the answer of any server of a cluster holds everything that was acknowledged before the question
        """
        answer = self.request(
            "GET",
            path_of("/api/v1/node/{id}", id=id),
            query={"consistent": consistent},
        )
        return cast("t.WorkerNode", answer.data)

    def register_node(self, id: t.Id, body: t.NodeRegistration) -> t.RegistrationReply:
        """Register or update a worker node; counts as a heartbeat."""
        answer = self.request(
            "PUT",
            path_of("/api/v1/node/{id}", id=id),
            body=body,
        )
        return cast("t.RegistrationReply", answer.data)

    def deregister_node(self, id: t.Id) -> t.IdReply:
        """Deregister a node: remove it from the list of running nodes."""
        answer = self.request(
            "DELETE",
            path_of("/api/v1/node/{id}", id=id),
        )
        return cast("t.IdReply", answer.data)

    def explain_node(self, id: t.Id, *, consistent: Optional[bool] = None) -> t.NodeExplanation:
        """Explain how a node is, and what keeps it from doing its work.

        :param consistent: true: the answer of any server of a cluster holds everything that was acknowledged before the question
        """
        answer = self.request(
            "GET",
            path_of("/api/v1/node/{id}/explain", id=id),
            query={"consistent": consistent},
        )
        return cast("t.NodeExplanation", answer.data)

    def list_reclaims(
        self,
        *,
        start: Optional[t.Timestamp] = None,
        end: Optional[t.Timestamp] = None,
        node: Optional[str] = None,
        limit: Optional[int] = None,
        consistent: Optional[bool] = None,
    ) -> t.ReclaimList:
        """List reclaims of spot nodes with the jobs that they interrupted, the work that is repeated and its cost.

        :param start: Only nodes whose last heartbeat was at or after this time; defaults to 24 hours before the end
        :param end: Only nodes whose last heartbeat was before this time; defaults to now
        :param node: Only this node, by id or instance id
        :param limit: Reclaims listed, 1 to 10,000, the newest first; defaults to 100. The totals are of all
        :param consistent: true: the answer of any server of a cluster holds everything that was acknowledged before the question
        """
        answer = self.request(
            "GET",
            "/api/v1/reclaim",
            query={"start": start, "end": end, "node": node, "limit": limit, "consistent": consistent},
        )
        return cast("t.ReclaimList", answer.data)

    def post_heartbeat(self, id: t.Id, body: Optional[t.Heartbeat] = None) -> t.HeartbeatReply:
        """Send one heartbeat."""
        answer = self.request(
            "POST",
            path_of("/api/v1/node/{id}/heartbeat", id=id),
            body=body,
        )
        return cast("t.HeartbeatReply", answer.data)

    def post_heartbeats(self, body: t.HeartbeatBatch) -> t.HeartbeatBatchReply:
        """Send heartbeats of many nodes, at most 10,000."""
        answer = self.request(
            "POST",
            "/api/v1/heartbeat",
            body=body,
        )
        return cast("t.HeartbeatBatchReply", answer.data)

    def list_node_files(self, id: t.Id, *, consistent: Optional[bool] = None) -> t.LogPathList:
        """List a node’s log files.

        :param consistent: true: the answer of any server of a cluster holds everything that was acknowledged before the question
        """
        answer = self.request(
            "GET",
            path_of("/api/v1/nodes/{id}/files", id=id),
            query={"consistent": consistent},
        )
        return cast("t.LogPathList", answer.data)

    def append_node_file(
        self,
        id: t.Id,
        path: str,
        body: Optional[t.Bytes] = None,
        *,
        offset: int,
        cut: Optional[bool] = None,
    ) -> t.StoredSize:
        """Append to a node’s log file.

        :param offset: Number of bytes of the log sent so far; must equal the stored size
        :param cut: true: truncate the stored log to the offset first; only for a job’s output, /…/jobs/{job id}/stdout.log or stderr.log
        """
        answer = self.request(
            "POST",
            path_of("/api/v1/nodes/{id}/files/{path}", id=id, path=path),
            query={"offset": offset, "cut": cut},
            body=body,
        )
        return cast("t.StoredSize", answer.data)

    def list_jobs(
        self,
        *,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        sort: Optional[Literal["createdAt", "updatedAt", "id", "status", "queueName", "name", "nodeOid", "-createdAt", "-updatedAt", "-id", "-status", "-queueName", "-name", "-nodeOid"]] = None,
        fields: Optional[str] = None,
        queue: Optional[t.QueueName] = None,
        status: Optional[Union[Literal["Unknown", "Creating", "Created", "Running", "Checkpointing", "CheckpointSucceeded", "CheckpointFailed", "Restoring", "RestoreSucceeded", "RestoreFailed", "Stopped", "Succeeded", "Failed", "VolumeUnready", "RestoreVolumeUnready"], List[Literal["Unknown", "Creating", "Created", "Running", "Checkpointing", "CheckpointSucceeded", "CheckpointFailed", "Restoring", "RestoreSucceeded", "RestoreFailed", "Stopped", "Succeeded", "Failed", "VolumeUnready", "RestoreVolumeUnready"]]]] = None,
        phase: Optional[List[Literal["starting", "running", "restoring", "stranded", "succeeded", "failed", "stopped"]]] = None,
        node: Optional[str] = None,
        created_after: Optional[t.Timestamp] = None,
        created_before: Optional[t.Timestamp] = None,
        updated_after: Optional[t.Timestamp] = None,
        updated_before: Optional[t.Timestamp] = None,
        q: Optional[str] = None,
        consistent: Optional[bool] = None,
    ) -> t.JobList:
        """List jobs with their events.

        :param limit: Jobs per page, 1 to 10,000; the Link header names the next page. Defaults to all jobs
        :param cursor: Where the page begins, from the Link header of the previous page
        :param sort: One of createdAt, updatedAt, id, status, queueName, name, nodeOid; a leading - sorts in descending order. Defaults to createdAt; ties are sorted by createdAt, then id
        :param fields: Only these fields, separated by commas: some of id, queueName, name, cpus, memoryInMB, maxRootFSUsageMB, createdAt, updatedAt, status, nodeOid, containerId, spotProtCount, batchJobIds, volumeIds, events, phase, workAtRisk, unsavedSeconds, lastCheckpointAt, statusSince, lastEventDetail
        :param queue: Only jobs of this queue
        :param status: Only jobs of this status: one of Unknown, Creating, Created, Running, Checkpointing, CheckpointSucceeded, CheckpointFailed, Restoring, RestoreSucceeded, RestoreFailed, Stopped, Succeeded, Failed, VolumeUnready, RestoreVolumeUnready. May be repeated
        :param phase: Only jobs of this phase: one of starting, running, restoring, stranded, succeeded, failed, stopped. May be repeated
        :param node: Only jobs with this nodeOid: an instance id, or the id of a node
        :param created_after: Only jobs created after this time, exclusive; RFC 3339
        :param created_before: Only jobs created before this time, exclusive; RFC 3339
        :param updated_after: Only jobs whose last event is after this time, exclusive; RFC 3339
        :param updated_before: Only jobs whose last event is before this time, exclusive; RFC 3339
        :param q: Only jobs with this text in id, name, queue, container, batch job or volume ids, or in the instance id or id of their node, ignoring case
        :param consistent: true: the answer of any server of a cluster holds everything that was acknowledged before the question
        """
        answer = self.request(
            "GET",
            "/api/v1/job",
            query={"limit": limit, "cursor": cursor, "sort": sort, "fields": fields, "queue": queue, "status": status, "phase": phase, "node": node, "createdAfter": created_after, "createdBefore": created_before, "updatedAfter": updated_after, "updatedBefore": updated_before, "q": q, "consistent": consistent},
        )
        return cast("t.JobList", answer.data)

    def iterate_jobs(
        self,
        *,
        sort: Optional[Literal["createdAt", "updatedAt", "id", "status", "queueName", "name", "nodeOid", "-createdAt", "-updatedAt", "-id", "-status", "-queueName", "-name", "-nodeOid"]] = None,
        fields: Optional[str] = None,
        queue: Optional[t.QueueName] = None,
        status: Optional[Union[Literal["Unknown", "Creating", "Created", "Running", "Checkpointing", "CheckpointSucceeded", "CheckpointFailed", "Restoring", "RestoreSucceeded", "RestoreFailed", "Stopped", "Succeeded", "Failed", "VolumeUnready", "RestoreVolumeUnready"], List[Literal["Unknown", "Creating", "Created", "Running", "Checkpointing", "CheckpointSucceeded", "CheckpointFailed", "Restoring", "RestoreSucceeded", "RestoreFailed", "Stopped", "Succeeded", "Failed", "VolumeUnready", "RestoreVolumeUnready"]]]] = None,
        phase: Optional[List[Literal["starting", "running", "restoring", "stranded", "succeeded", "failed", "stopped"]]] = None,
        node: Optional[str] = None,
        created_after: Optional[t.Timestamp] = None,
        created_before: Optional[t.Timestamp] = None,
        updated_after: Optional[t.Timestamp] = None,
        updated_before: Optional[t.Timestamp] = None,
        q: Optional[str] = None,
        consistent: Optional[bool] = None,
        page_size: int = 1000,
    ) -> Iterator[t.Job]:
        """List jobs with their events, one by one: pages of `page_size` (at most 10,000) are read as they are needed.

        :param sort: One of createdAt, updatedAt, id, status, queueName, name, nodeOid; a leading - sorts in descending order. Defaults to createdAt; ties are sorted by createdAt, then id
        :param fields: Only these fields, separated by commas: some of id, queueName, name, cpus, memoryInMB, maxRootFSUsageMB, createdAt, updatedAt, status, nodeOid, containerId, spotProtCount, batchJobIds, volumeIds, events, phase, workAtRisk, unsavedSeconds, lastCheckpointAt, statusSince, lastEventDetail
        :param queue: Only jobs of this queue
        :param status: Only jobs of this status: one of Unknown, Creating, Created, Running, Checkpointing, CheckpointSucceeded, CheckpointFailed, Restoring, RestoreSucceeded, RestoreFailed, Stopped, Succeeded, Failed, VolumeUnready, RestoreVolumeUnready. May be repeated
        :param phase: Only jobs of this phase: one of starting, running, restoring, stranded, succeeded, failed, stopped. May be repeated
        :param node: Only jobs with this nodeOid: an instance id, or the id of a node
        :param created_after: Only jobs created after this time, exclusive; RFC 3339
        :param created_before: Only jobs created before this time, exclusive; RFC 3339
        :param updated_after: Only jobs whose last event is after this time, exclusive; RFC 3339
        :param updated_before: Only jobs whose last event is before this time, exclusive; RFC 3339
        :param q: Only jobs with this text in id, name, queue, container, batch job or volume ids, or in the instance id or id of their node, ignoring case
        :param consistent: true: the answer of any server of a cluster holds everything that was acknowledged before the question
        """
        return self.items(
            "/api/v1/job",
            query={"limit": page_size, "sort": sort, "fields": fields, "queue": queue, "status": status, "phase": phase, "node": node, "createdAfter": created_after, "createdBefore": created_before, "updatedAfter": updated_after, "updatedBefore": updated_before, "q": q, "consistent": consistent},
        )

    def post_jobs(self, body: t.JobUpdates) -> t.JobUpdateReply:
        """Report job updates: one, or an array of at most 1,000."""
        answer = self.request(
            "POST",
            "/api/v1/job",
            body=body,
        )
        return cast("t.JobUpdateReply", answer.data)

    def count_jobs(
        self,
        *,
        by: Optional[Literal["phase", "status", "queue"]] = None,
        queue: Optional[t.QueueName] = None,
        status: Optional[Union[Literal["Unknown", "Creating", "Created", "Running", "Checkpointing", "CheckpointSucceeded", "CheckpointFailed", "Restoring", "RestoreSucceeded", "RestoreFailed", "Stopped", "Succeeded", "Failed", "VolumeUnready", "RestoreVolumeUnready"], List[Literal["Unknown", "Creating", "Created", "Running", "Checkpointing", "CheckpointSucceeded", "CheckpointFailed", "Restoring", "RestoreSucceeded", "RestoreFailed", "Stopped", "Succeeded", "Failed", "VolumeUnready", "RestoreVolumeUnready"]]]] = None,
        phase: Optional[List[Literal["starting", "running", "restoring", "stranded", "succeeded", "failed", "stopped"]]] = None,
        node: Optional[str] = None,
        created_after: Optional[t.Timestamp] = None,
        created_before: Optional[t.Timestamp] = None,
        updated_after: Optional[t.Timestamp] = None,
        updated_before: Optional[t.Timestamp] = None,
        q: Optional[str] = None,
        consistent: Optional[bool] = None,
    ) -> t.JobCount:
        """Count jobs by phase, status or queue.

        :param by: What the jobs are counted by: one of phase, status, queue. Defaults to phase
        :param queue: Only jobs of this queue
        :param status: Only jobs of this status: one of Unknown, Creating, Created, Running, Checkpointing, CheckpointSucceeded, CheckpointFailed, Restoring, RestoreSucceeded, RestoreFailed, Stopped, Succeeded, Failed, VolumeUnready, RestoreVolumeUnready. May be repeated
        :param phase: Only jobs of this phase: one of starting, running, restoring, stranded, succeeded, failed, stopped. May be repeated
        :param node: Only jobs with this nodeOid: an instance id, or the id of a node
        :param created_after: Only jobs created after this time, exclusive; RFC 3339
        :param created_before: Only jobs created before this time, exclusive; RFC 3339
        :param updated_after: Only jobs whose last event is after this time, exclusive; RFC 3339
        :param updated_before: Only jobs whose last event is before this time, exclusive; RFC 3339
        :param q: Only jobs with this text in id, name, queue, container, batch job or volume ids, or in the instance id or id of their node, ignoring case
        :param consistent: true: the answer of any server of a cluster holds everything that was acknowledged before the question
        """
        answer = self.request(
            "GET",
            "/api/v1/job/count",
            query={"by": by, "queue": queue, "status": status, "phase": phase, "node": node, "createdAfter": created_after, "createdBefore": created_before, "updatedAfter": updated_after, "updatedBefore": updated_before, "q": q, "consistent": consistent},
        )
        return cast("t.JobCount", answer.data)

    def get_job(self, id: t.Id, *, consistent: Optional[bool] = None) -> t.JobDetail:
        """Read one job with the values derived from its events.

        :param consistent: true: the answer of any server of a cluster holds everything that was acknowledged before the question
        """
        answer = self.request(
            "GET",
            path_of("/api/v1/job/{id}", id=id),
            query={"consistent": consistent},
        )
        return cast("t.JobDetail", answer.data)

    def checkpoint_job(self, id: t.Id) -> Body:
        """Order a checkpoint of a running job; its node gets the order with the reply to its next heartbeat.

        The answer is read as it comes: use it in a `with` statement, and read, iterate or call `text()`.
        """
        return self.open(
            "POST",
            path_of("/api/v1/job/{id}/checkpoint", id=id),
        )

    def get_checkpoint_order(
        self,
        id: t.Id,
        *,
        consistent: Optional[bool] = None,
    ) -> t.CheckpointOrderAnswer:
        """Read what became of the last order to save a job: whether its node has taken it.

        :param consistent: true: the answer of any server of a cluster holds everything that was acknowledged before the question
        """
        answer = self.request(
            "GET",
            path_of("/api/v1/job/{id}/checkpoint", id=id),
            query={"consistent": consistent},
        )
        return cast("t.CheckpointOrderAnswer", answer.data)

    def explain_job(self, id: t.Id, *, consistent: Optional[bool] = None) -> t.JobExplanation:
        """Explain whether a job makes progress, why not, and what to do.

        :param consistent: true: the answer of any server of a cluster holds everything that was acknowledged before the question
        """
        answer = self.request(
            "GET",
            path_of("/api/v1/job/{id}/explain", id=id),
            query={"consistent": consistent},
        )
        return cast("t.JobExplanation", answer.data)

    def get_job_bundle(self, id: t.Id, *, consistent: Optional[bool] = None) -> Body:
        """Download everything about a job in one file: the job, the logs of its nodes and the server log lines about it.

        The answer is read as it comes: use it in a `with` statement, and read, iterate or call `text()`.

        :param consistent: true: the answer of any server of a cluster holds everything that was acknowledged before the question
        """
        return self.open(
            "GET",
            path_of("/api/v1/job/{id}/logs.tar.gz", id=id),
            query={"consistent": consistent},
        )

    def get_job_output(
        self,
        id: t.Id,
        output: Literal["stdout", "stderr"],
        *,
        copy: Optional[Literal["last"]] = None,
        follow: Optional[bool] = None,
        consistent: Optional[bool] = None,
    ) -> Body:
        """Read what a job wrote to standard output (stdout) or standard error (stderr), joined over its copies.

        The answer is read as it comes: use it in a `with` statement, and read, iterate or call `text()`.

        :param copy: last: only what the newest copy wrote; defaults to all copies
        :param follow: true: keep sending what the job writes, until it ends or the client disconnects
        :param consistent: true: the answer of any server of a cluster holds everything that was acknowledged before the question
        """
        return self.open(
            "GET",
            path_of("/api/v1/job/{id}/output/{output}", id=id, output=output),
            query={"copy": copy, "follow": follow, "consistent": consistent},
        )

    def post_job_events(
        self,
        id: t.Id,
        body: t.JobEventReports,
        *,
        queue_name: Optional[t.QueueName] = None,
        epoch: Optional[t.Epoch] = None,
    ) -> t.JobDetail:
        """Report events of a job: one, or an array.

        :param queue_name: Queue of the job; required if the job is new
        :param epoch: Epoch of the claim under which the copy runs
        """
        answer = self.request(
            "POST",
            path_of("/api/v1/job/{id}/event", id=id),
            query={"queueName": queue_name, "epoch": epoch},
            body=body,
        )
        return cast("t.JobDetail", answer.data)

    def get_events(
        self,
        *,
        types: Optional[str] = None,
        queue: Optional[str] = None,
        job: Optional[str] = None,
        node: Optional[str] = None,
        last_event_id: Optional[Union[int, str]] = None,
        follow: Optional[bool] = None,
        consistent: Optional[bool] = None,
    ) -> Body:
        """Follow events of nodes, jobs and the configuration as server-sent events, resumable with Last-Event-ID.

        The answer is read as it comes: use it in a `with` statement, and read, iterate or call `text()`.

        :param types: Only events with these names, separated by commas; gap is always sent
        :param queue: Only events of jobs of these queues
        :param job: Only events of these jobs
        :param node: Only events of these nodes, and of jobs on them
        :param last_event_id: Only events after the one with this id; 0 for all that are stored; without it and the Last-Event-ID header, only new events
        :param follow: false: end after the last event that is stored; defaults to true
        :param consistent: true: the answer of any server of a cluster holds everything that was acknowledged before the question
        """
        return self.open(
            "GET",
            "/api/v1/event",
            query={"types": types, "queue": queue, "job": job, "node": node, "lastEventId": last_event_id, "follow": follow, "consistent": consistent},
        )

    def get_open_api(self, *, consistent: Optional[bool] = None) -> t.OpenApiDocument:
        """Read this API description.

        :param consistent: true: the answer of any server of a cluster holds everything that was acknowledged before the question
        """
        answer = self.request(
            "GET",
            "/api/v1/openapi.json",
            query={"consistent": consistent},
        )
        return cast("t.OpenApiDocument", answer.data)

    def livez(self, *, consistent: Optional[bool] = None) -> t.Health:
        """Check that the process is running.

        :param consistent: true: the answer of any server of a cluster holds everything that was acknowledged before the question
        """
        answer = self.request(
            "GET",
            "/livez",
            query={"consistent": consistent},
        )
        return cast("t.Health", answer.data)

    def readyz(self, *, consistent: Optional[bool] = None) -> t.Health:
        """Check that the server is ready, with reasons for caution.

        :param consistent: true: the answer of any server of a cluster holds everything that was acknowledged before the question
        """
        answer = self.request(
            "GET",
            "/readyz",
            query={"consistent": consistent},
        )
        return cast("t.Health", answer.data)

    def get_metrics_text(self, *, consistent: Optional[bool] = None) -> Body:
        """Read the server’s own metrics.

        The answer is read as it comes: use it in a `with` statement, and read, iterate or call `text()`.

        :param consistent: true: the answer of any server of a cluster holds everything that was acknowledged before the question
        """
        return self.open(
            "GET",
            "/metrics",
            query={"consistent": consistent},
        )

    def get_doctor(self, *, consistent: Optional[bool] = None) -> t.DoctorReport:
        """Find what is wrong with the server, each finding with a remedy.

        :param consistent: true: the answer of any server of a cluster holds everything that was acknowledged before the question
        """
        answer = self.request(
            "GET",
            "/api/v1/doctor",
            query={"consistent": consistent},
        )
        return cast("t.DoctorReport", answer.data)

    def get_server_log(
        self,
        log_name: str,
        *,
        tail: Optional[int] = None,
        q: Optional[str] = None,
        words: Optional[str] = None,
        follow: Optional[bool] = None,
        level: Optional[Literal["trace", "debug", "info", "warn", "error", "fatal"]] = None,
        consistent: Optional[bool] = None,
        range: Optional[str] = None,
    ) -> Body:
        """Read the server log (/{log_name}.log) or the access log (/{log_name}-access.log).

        The answer is read as it comes: use it in a `with` statement, and read, iterate or call `text()`.

        :param tail: Number of lines to return from the end of the log
        :param q: Only lines that contain this text
        :param words: Only lines that contain all of these words, in any order and case; name=value finds a field of a JSON line, "two words" stand together, -word leaves lines out
        :param follow: true: keep sending what is appended, until the job or node ends or the client disconnects
        :param level: Only lines of this level and of worse ones; of the access log, warn: refused or failed, error: failed
        :param consistent: true: the answer of any server of a cluster holds everything that was acknowledged before the question
        :param range: Only these bytes; answered with 206
        """
        return self.open(
            "GET",
            path_of("/{log_name}.log", log_name=log_name),
            query={"tail": tail, "q": q, "words": words, "follow": follow, "level": level, "consistent": consistent},
            headers={"Range": range},
        )

    def list_webhooks(self, *, consistent: Optional[bool] = None) -> t.WebhookList:
        """List the webhooks that the caller manages.

        :param consistent: true: the answer of any server of a cluster holds everything that was acknowledged before the question
        """
        answer = self.request(
            "GET",
            "/api/v1/webhook",
            query={"consistent": consistent},
        )
        return cast("t.WebhookList", answer.data)

    def get_webhook(self, id: t.Id, *, consistent: Optional[bool] = None) -> t.WebhookDetail:
        """Read one webhook with its last 100 deliveries since the server’s start, newest first.

        :param consistent: true: the answer of any server of a cluster holds everything that was acknowledged before the question
        """
        answer = self.request(
            "GET",
            path_of("/api/v1/webhook/{id}", id=id),
            query={"consistent": consistent},
        )
        return cast("t.WebhookDetail", answer.data)

    def put_webhook(self, id: t.Id, body: t.WebhookRequest) -> t.StoredWebhook:
        """Add or change a webhook: events of these types are sent to its URL from now on."""
        answer = self.request(
            "PUT",
            path_of("/api/v1/webhook/{id}", id=id),
            body=body,
        )
        return cast("t.StoredWebhook", answer.data)

    def remove_webhook(self, id: t.Id) -> t.IdReply:
        """Remove a webhook with everything that waits for it."""
        answer = self.request(
            "DELETE",
            path_of("/api/v1/webhook/{id}", id=id),
        )
        return cast("t.IdReply", answer.data)

    def test_webhook(self, id: t.Id) -> t.WebhookTest:
        """Send one event of the type webhook.test at once."""
        answer = self.request(
            "POST",
            path_of("/api/v1/webhook/{id}/test", id=id),
        )
        return cast("t.WebhookTest", answer.data)

    def replay_webhook(self, id: t.Id) -> t.Webhook:
        """Deliver at once what was set aside and what is waiting."""
        answer = self.request(
            "POST",
            path_of("/api/v1/webhook/{id}/replay", id=id),
        )
        return cast("t.Webhook", answer.data)

    def claim_job(self, id: t.Id, body: t.Claim) -> t.ClaimReply:
        """Claim a job for a node before the node runs it."""
        answer = self.request(
            "PUT",
            path_of("/api/v1/job/{id}/claim", id=id),
            body=body,
        )
        return cast("t.ClaimReply", answer.data)

    def interrupt_node(self, id: t.Id, body: t.Interruption) -> t.InterruptionReply:
        """Report the cloud’s interruption notice for a node; registering again withdraws it."""
        answer = self.request(
            "POST",
            path_of("/api/v1/node/{id}/interruption", id=id),
            body=body,
        )
        return cast("t.InterruptionReply", answer.data)

    def drain_node(self, id: t.Id) -> t.DrainReply:
        """Drain a node: its agent accepts no new jobs; running jobs continue."""
        answer = self.request(
            "POST",
            path_of("/api/v1/node/{id}/drain", id=id),
        )
        return cast("t.DrainReply", answer.data)

    def undrain_node(self, id: t.Id) -> t.DrainReply:
        """Undo the drain of a node."""
        answer = self.request(
            "DELETE",
            path_of("/api/v1/node/{id}/drain", id=id),
        )
        return cast("t.DrainReply", answer.data)

    def list_queues(self, *, consistent: Optional[bool] = None) -> t.QueueList:
        """List queues with their jobs by phase.

        :param consistent: true: the answer of any server of a cluster holds everything that was acknowledged before the question
        """
        answer = self.request(
            "GET",
            "/api/v1/queue",
            query={"consistent": consistent},
        )
        return cast("t.QueueList", answer.data)

    def get_install_script(self, *, consistent: Optional[bool] = None) -> Body:
        """Read the shell script that makes a machine a worker of this server; it takes --join-token and --fingerprint.

        The answer is read as it comes: use it in a `with` statement, and read, iterate or call `text()`.

        :param consistent: true: the answer of any server of a cluster holds everything that was acknowledged before the question
        """
        return self.open(
            "GET",
            "/api/v1/scripts/install-agent",
            query={"consistent": consistent},
        )

    def get_agent_package(
        self,
        *,
        format: Optional[Literal["deb", "rpm", "tar"]] = None,
        arch: Optional[Literal["amd64", "arm64", "x86_64", "aarch64"]] = None,
        consistent: Optional[bool] = None,
    ) -> Body:
        """Download the worker agent’s package.

        The answer is read as it comes: use it in a `with` statement, and read, iterate or call `text()`.

        :param format: deb, rpm or tar; defaults to deb
        :param arch: amd64 or arm64 (also x86_64 and aarch64); defaults to the server’s own
        :param consistent: true: the answer of any server of a cluster holds everything that was acknowledged before the question
        """
        return self.open(
            "GET",
            "/api/v1/agent/package",
            query={"format": format, "arch": arch, "consistent": consistent},
        )
