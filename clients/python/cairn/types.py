# Made by `npm run docs` from the OpenAPI document; a test fails where they differ.
"""The shapes of requests and answers. Answers may gain keys: ignore those that you do not know."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, TypedDict, Union

class Agent(TypedDict, total=False):
    """The agent of a worker node"""

    version: str
    engine: str
    canCheckpoint: bool
    reason: str
    saveMBps: float
    clockDifferenceMs: int


class AgentReport(TypedDict, total=False):
    """What the agent says of itself when it registers"""

    version: Union[str, None]
    # The agent’s clock when it sent the registration
    time: Union[Timestamp, None]
    # What takes the checkpoints: criu, podman or none
    engine: Union[str, None]
    canCheckpoint: Union[bool, None]
    # Why it cannot checkpoint
    reason: Union[str, None]
    # Measured by its last checkpoint
    saveMBps: Union[float, None]


class AttemptTally(TypedDict):
    """How often something was tried, and how it ended"""

    attempts: int
    successes: int
    failures: int


_AuditRecordRequired = TypedDict(
    "_AuditRecordRequired",
    {
        "seq": int,
        "time": str,
        "who": str,
        "from": str,
        "action": str,
        "target": str,
        "detail": Dict[str, Any],
        "prev": str,
        "hash": str,
    },
)

_AuditRecordOptional = TypedDict(
    "_AuditRecordOptional",
    {
    }, total=False,
)

class AuditRecord(_AuditRecordRequired, _AuditRecordOptional):
    """Who did what, from where; each record carries the hash of the previous one"""

# Records, newest first
AuditRecordList = List["AuditRecord"]

class _BatchedHeartbeatRequired(TypedDict):
    id: Id

class BatchedHeartbeat(_BatchedHeartbeatRequired, total=False):
    """A heartbeat in a batch"""

    time: Union[Timestamp, None]
    metrics: Union[HeartbeatMetrics, None]
    # Ids of the orders that the node has taken
    done: Union[List[Id], None]


# Bytes as they are
Bytes = bytes

class _CallerRequired(TypedDict):
    name: str
    # viewer, operator or admin, bound to queues as in viewer@a|b; node, or join
    roles: List[str]
    # The queues whose jobs the caller sees; null: all
    queues: Union[List[str], None]
    # Groups in the token; null where it carries none
    groups: Union[List[str], None]
    # When the token ends
    expiresAt: Union[str, None]
    # Whether the identity provider is on; while it is off everybody is an administrator
    identityProvider: bool

class Caller(_CallerRequired, total=False):
    """Who the caller is"""

    # The node that a node token is for
    nodeId: str


class CheckpointChanges(TypedDict, total=False):
    """Changes of checkpoint settings; durations may also be integer nanoseconds"""

    # ckpt.ckptMode: With iterative, jobs are saved at every interval, including those that already run. With none, or while this is not set, a job whose node goes loses all of its work.
    ckptMode: Literal["iterative", "none", "unknown"]
    # ckpt.ckptImagePath: Folder on the workers that stores checkpoint images.
    ckptImagePath: str
    # ckpt.ckptInterval: Interval between checkpoints. A job whose node goes loses at most this much work, plus the time of one checkpoint. A value below 2m is accepted with a warning: the pauses may cost more than they save.
    ckptInterval: Duration
    # ckpt.ckptFiles: Additional files to copy with each checkpoint.
    ckptFiles: Union[List[str], None]
    # ckpt.IRMapScanPaths: Paths to scan for the inode reverse map.
    IRMapScanPaths: Union[List[str], None]
    # ckpt.ckptOnSigTerm: Take a checkpoint when the job receives SIGTERM, as happens before a spot reclaim.
    ckptOnSigTerm: bool
    # ckpt.diagnosisMode: Workers keep the working files of failed checkpoints for diagnosis.
    diagnosisMode: bool
    # ckpt.rootFSDiff: Include the changes of the root filesystem in the checkpoint.
    rootFSDiff: bool
    # ckpt.cloudMonitorMode: Workers watch for interruption notices from the cloud.
    cloudMonitorMode: bool
    # ckpt.tcpClose: Close all of the job’s TCP connections when checkpointing.
    tcpClose: bool


class CheckpointOrder(TypedDict):
    """The last order to save a job, of the last 24 hours"""

    node: Id
    # When it was ordered, by the clock of the server
    orderedAt: Timestamp
    # When a heartbeat of the node said that it has taken the order; null before
    takenAt: Union[Timestamp, None]


class CheckpointOrderAnswer(TypedDict):
    """The last order to save a job; null where none was given in the last 24 hours"""

    order: Union[CheckpointOrder, None]


class _ClaimRequired(TypedDict):
    # Id of the node that will run the job; it must be registered
    nodeId: Id

class Claim(_ClaimRequired, total=False):
    """Which node will run the job"""

    # Lower limit of the epoch in the reply
    minEpoch: Union[Epoch, None]
    # Queue of the job; required if the job is new
    queueName: Union[QueueName, None]


class ClaimReply(TypedDict):
    """The claim"""

    epoch: int
    # Status of the job when it was claimed; Unknown if it is new
    status: str


class _ConfigurationRequired(TypedDict):
    # addr: Where the server listens, scheme://host:port. The new address is bound before the answer; then the old one stops accepting connections.
    addr: str
    # id: Instance identifier.
    id: str
    # staticFolder: Folder of the web frontend.
    staticFolder: str
    log: ConfigurationLog
    ckpt: ConfigurationCkpt
    node: ConfigurationNode
    job: ConfigurationJob

class Configuration(_ConfigurationRequired, total=False):
    """The whole configuration"""

    # Absent for callers bound to queues
    security: ConfigurationSecurity


class ConfigurationChange(TypedDict):
    """Who changed what, and when"""

    version: int
    time: str
    who: str
    key: str
    old: Any
    new: Any


class ConfigurationChanges(TypedDict):
    """Changes of the configuration: all of them are made, or none"""

    kvMap: ConfigurationTexts


class ConfigurationCkpt(TypedDict):
    """The settings ckpt.*"""

    # ckpt.ckptMode: With iterative, jobs are saved at every interval, including those that already run. With none, or while this is not set, a job whose node goes loses all of its work.
    ckptMode: Literal["iterative", "none", "unknown"]
    # ckpt.ckptImagePath: Folder on the workers that stores checkpoint images.
    ckptImagePath: str
    # ckpt.ckptInterval: Interval between checkpoints. A job whose node goes loses at most this much work, plus the time of one checkpoint. A value below 2m is accepted with a warning: the pauses may cost more than they save.
    ckptInterval: Duration
    # ckpt.ckptFiles: Additional files to copy with each checkpoint.
    ckptFiles: Union[List[str], None]
    # ckpt.IRMapScanPaths: Paths to scan for the inode reverse map.
    IRMapScanPaths: Union[List[str], None]
    # ckpt.ckptOnSigTerm: Take a checkpoint when the job receives SIGTERM, as happens before a spot reclaim.
    ckptOnSigTerm: bool
    # ckpt.diagnosisMode: Workers keep the working files of failed checkpoints for diagnosis.
    diagnosisMode: bool
    # ckpt.rootFSDiff: Include the changes of the root filesystem in the checkpoint.
    rootFSDiff: bool
    # ckpt.cloudMonitorMode: Workers watch for interruption notices from the cloud.
    cloudMonitorMode: bool
    # ckpt.tcpClose: Close all of the job’s TCP connections when checkpointing.
    tcpClose: bool


# The last changes of the configuration, newest first
ConfigurationHistory = List["ConfigurationChange"]

class ConfigurationJob(TypedDict):
    """The settings job.*"""

    # job.volPerJob: Create a new block volume for each job.
    volPerJob: bool
    # job.customTags: Tags for the resources that are created for a job.
    customTags: Dict[str, str]
    # job.volMountPath: Where a job finds its volume.
    volMountPath: str
    # job.diskType: Type of each new volume: gp and io are SSDs, st and sc are hard disks, which cost less.
    diskType: Literal["gp2", "gp3", "io1", "io2", "st1", "sc1"]
    # job.diskSizeGB: Size of each new volume. Unused space costs the same. In GB.
    diskSizeGB: int
    # job.diskThroughputMB: Throughput of each new volume. The cloud charges for more than its base. In MB/s.
    diskThroughputMB: int
    # job.storCleanIntvl: How often workers clean up the storage of ended jobs.
    storCleanIntvl: Duration
    # job.retentionPolicy: How ended jobs are removed: after a time.
    retentionPolicy: Literal["time"]
    # job.retentionInterval: How often retention is checked.
    retentionInterval: Duration
    # job.successTTL: How long a succeeded job is kept after its last event.
    successTTL: Duration
    # job.failureTTL: How long a failed or stopped job is kept after its last event.
    failureTTL: Duration


class ConfigurationLog(TypedDict):
    """The settings log.*"""

    # log.file: Server log; the access log is the file <name>-access.log beside it. The URL paths /<name>.log and /<name>-access.log follow the name. It must be in the log folder or below a folder listed in CAIRN_LOG_ROOTS when the server starts; symbolic links are resolved first.
    file: str
    # log.level: The least severe level that is logged.
    level: Literal["trace", "debug", "info", "warn", "error", "fatal"]
    # log.maxSizeMB: A log file is rotated before it exceeds this size. In MB.
    maxSizeMB: int
    # log.maxBackups: Number of rotated files to keep beside the current one. In files.
    maxBackups: int


class ConfigurationNode(TypedDict):
    """The settings node.*"""

    # node.heartbeat: How often a worker node reports. A shorter interval shows its state sooner and costs more requests.
    heartbeat: Duration
    # node.ttl: A node is marked lost after this long without a heartbeat, never earlier. Must be at least twice node.heartbeat.
    ttl: Duration
    # node.maxPerLogSizeMB: Maximum size of one stored node log file; the oldest whole lines are removed first. In MB.
    maxPerLogSizeMB: int
    # node.maxNodeLogTotalMB: Maximum total size of the stored log files of one node. In MB.
    maxNodeLogTotalMB: int
    # node.cleanLogInterval: How often a sweep applies these limits and removes the logs of nodes that are no longer kept.
    cleanLogInterval: Duration


class ConfigurationPush(TypedDict):
    """Sent by the server when the configuration has changed"""

    type: Literal["config"]
    configVersion: int


class ConfigurationSecurity(TypedDict):
    """The settings security.*"""

    # security.certFile: Certificate (PEM, leaf first). Changes to the file take effect within 15 s.
    certFile: str
    # security.keyFile: Private key (PEM) of the certificate.
    keyFile: str
    # security.clientCAFile: Certificates (PEM) of the authority that signs worker certificates. When set, worker calls need a certificate signed by it. Changes to the file take effect within 15 s. Empty: no client certificate is requested.
    clientCAFile: str
    idp: ConfigurationSecurityIdp
    # security.roles: Roles by group: viewer, operator or admin; viewer@<queue> and operator@<queue>\|<queue> are bound to queues. In names, write `:` `,` `@` `%` and `\|` as %3A %2C %40 %25 and %7C. Empty: every signed-in user is a viewer. Administrator groups stay administrators.
    roles: Dict[str, str]
    # security.corsOrigins: Origins whose pages may call the API from a browser (CORS); none by default.
    corsOrigins: List[str]
    limits: ConfigurationSecurityLimits
    webhooks: ConfigurationSecurityWebhooks


class ConfigurationSecurityIdp(TypedDict):
    """The settings security.idp.*"""

    # security.idp.enabled: Whether calls need a token from the identity provider.
    enabled: bool
    # security.idp.userPoolID: User pool, <region>_<id>.
    userPoolID: str
    # security.idp.identityPoolID: Identity pool, <region>:<uuid>.
    identityPoolID: str
    # security.idp.clientID: App client of the pool (type: single-page application).
    clientID: str
    # security.idp.adminGroups: Users in one of these groups are administrators.
    adminGroups: List[str]
    # security.idp.issuer: Issuer of an OpenID Connect provider. Empty: the user pool is the provider.
    issuer: str
    # security.idp.audience: With an issuer: what aud of a token must contain. Empty: the token must be for clientID.
    audience: str
    # security.idp.groupsClaim: With an issuer: the claim with a user’s groups, by name or by path, such as realm_access.roles. Empty: groups.
    groupsClaim: str
    # security.idp.scopes: With an issuer: the scopes that the dashboard asks for. Empty: openid.
    scopes: str


class ConfigurationSecurityLimits(TypedDict):
    """The settings security.limits.*"""

    # security.limits.requestsPerAddress: Request budget of one client address; requests beyond it get 429. 0: no limit. Behind a proxy all clients share the proxy’s address. In requests a second.
    requestsPerAddress: int
    # security.limits.requestsPerToken: Request budget of one token; requests beyond it get 429. 0: no limit. In requests a second.
    requestsPerToken: int
    # security.limits.connections: Limit of open connections. A request on a connection beyond it gets 503, and the connection is closed. 0: no limit. In connections.
    connections: int


class ConfigurationSecurityWebhooks(TypedDict):
    """The settings security.webhooks.*"""

    # security.webhooks.giveUpAfter: An event that a webhook could not deliver for this long is set aside; Replay in the list of webhooks, or POST …/replay, delivers it.
    giveUpAfter: Duration
    # security.webhooks.privateTargets: Whether webhooks may call addresses that are not reachable from everywhere: this machine, private networks, metadata services.
    privateTargets: bool


_ConfigurationTextsRequired = TypedDict(
    "_ConfigurationTextsRequired",
    {
    },
)

_ConfigurationTextsOptional = TypedDict(
    "_ConfigurationTextsOptional",
    {
        "addr": str,
        "log.file": str,
        "log.level": str,
        "log.maxSizeMB": str,
        "log.maxBackups": str,
        "security.certFile": str,
        "security.keyFile": str,
        "security.clientCAFile": str,
        "security.idp.userPoolID": str,
        "security.idp.identityPoolID": str,
        "security.idp.clientID": str,
        "security.idp.adminGroups": str,
        "security.roles": str,
        "security.corsOrigins": str,
        "security.limits.requestsPerAddress": str,
        "security.limits.requestsPerToken": str,
        "security.limits.connections": str,
        "security.webhooks.giveUpAfter": str,
        "security.webhooks.privateTargets": str,
        "ckpt.ckptMode": str,
        "ckpt.ckptImagePath": str,
        "ckpt.ckptInterval": str,
        "ckpt.ckptFiles": str,
        "ckpt.IRMapScanPaths": str,
        "ckpt.ckptOnSigTerm": str,
        "ckpt.diagnosisMode": str,
        "ckpt.rootFSDiff": str,
        "ckpt.cloudMonitorMode": str,
        "ckpt.tcpClose": str,
        "node.heartbeat": str,
        "node.ttl": str,
        "node.maxPerLogSizeMB": str,
        "node.maxNodeLogTotalMB": str,
        "node.cleanLogInterval": str,
        "job.volPerJob": str,
        "job.customTags": str,
        "job.volMountPath": str,
        "job.diskType": str,
        "job.diskSizeGB": str,
        "job.diskThroughputMB": str,
        "job.storCleanIntvl": str,
        "job.retentionPolicy": str,
        "job.retentionInterval": str,
        "job.successTTL": str,
        "job.failureTTL": str,
    }, total=False,
)

class ConfigurationTexts(_ConfigurationTextsRequired, _ConfigurationTextsOptional):
    """New values by dotted path, each as a text"""

class CreatedServiceToken(TypedDict):
    """A new service token; it is shown only this once"""

    # The token; it is shown only this once
    token: str
    id: str
    expiresAt: str


# Comma-separated values (RFC 4180) with a head line
CsvText = str

class _DefinedMetricRequired(TypedDict):
    id: str
    name: str
    description: str
    unit: str
    labels: List[str]
    aggregation: Literal["sum", "avg", "min", "max", "last"]

class DefinedMetric(_DefinedMetricRequired, total=False):
    """The definition as it is stored"""

    warnings: List[str]


class DoctorCheck(TypedDict):
    """What a check of the server saw"""

    # What kind of finding it looks for
    id: Literal["disk", "map", "free-pages", "readers", "flush", "loop-lag", "clock", "descriptors", "certificate-expiry", "certificate-name", "permissions", "journal", "replica-lag", "backup-age", "agent-version", "token-key", "records"]
    # What it saw, in a few words for people
    value: str


class DoctorFinding(TypedDict):
    """What is wrong with the server, and what to do"""

    # What kind of finding it is
    id: Literal["disk", "map", "free-pages", "readers", "flush", "loop-lag", "clock", "descriptors", "certificate-expiry", "certificate-name", "permissions", "journal", "replica-lag", "backup-age", "agent-version", "token-key", "records"]
    severity: Literal["warning", "critical"]
    # What was found, with its figures
    what: str
    # What to do about it
    remedy: str


class DoctorReport(TypedDict):
    """The findings, and what the checks saw"""

    # None on a healthy server
    findings: List[DoctorFinding]
    # Of each check for which something was measured, whether or not it has a finding
    checks: List[DoctorCheck]


class DrainReply(TypedDict):
    """Whether the node is drained"""

    id: Id
    drained: bool


# A duration as Go writes it, such as 30s, 5m0s or 1h30m0s
Duration = str

# Number of a claim; a later claim of the same job has a higher one
Epoch = int

class _ErrorRequired(TypedDict):
    # Equals the HTTP status
    statusCode: int
    # What failed; the list of errors says when each is answered
    errorCode: Literal[1001, 1002, 1003, 1004, 1005, 1006, 1007, 1008, 1009, 1010, 1011, 2001, 2002, 2003, 2004, 2005, 2006, 3001, 3002, 3003, 9001, 9002]
    # Begins with the text of the error code; a colon and a detail may follow
    message: str

class Error(_ErrorRequired, total=False):
    """Why a call failed"""

    # What is wrong with each value, or what is needed
    fields: Dict[str, Any]


# Server-sent events; data is one JSON object with time and what the name of the event says
EventStream = str

class Evidence(TypedDict):
    """An event, a setting or a fact that a finding rests on"""

    # When it was so; null for a setting or a fact without a time
    time: Union[Timestamp, None]
    text: str


class _HealthRequired(TypedDict):
    status: str
    reasons: List[str]

class Health(_HealthRequired, total=False):
    """Whether the server does its work, with reasons for caution"""

    # Of a server of a cluster
    role: Literal["leader", "follower", "catching-up"]
    # URL of the server that leads; null where none does
    leader: Union[str, None]
    # Milliseconds by which this server is behind the leader
    behindMs: float


class Heartbeat(TypedDict, total=False):
    """A heartbeat of one node"""

    time: Union[Timestamp, None]
    metrics: Union[HeartbeatMetrics, None]
    # Ids of the orders that the node has taken
    done: Union[List[Id], None]


# Heartbeats of many nodes, at most 10,000
HeartbeatBatch = List["BatchedHeartbeat"]

class _HeartbeatBatchReplyRequired(TypedDict):
    # Milliseconds until the next heartbeat is expected
    nextBeatMs: int
    configVersion: int
    accepted: int
    # Ids that are not registered, or are deregistered
    unknown: List[Id]

class HeartbeatBatchReply(_HeartbeatBatchReplyRequired, total=False):
    """How many heartbeats were accepted, and when to send the next"""

    # What the node is to do, until a heartbeat names it in `done`
    orders: List[Order]
    warnings: List[str]


# Heartbeats of many nodes, with or without a number that the reply repeats
HeartbeatFrame = Union["HeartbeatBatch", "NumberedHeartbeats"]

class _HeartbeatFrameErrorRequired(TypedDict):
    # Equals the HTTP status
    statusCode: int
    # What failed; the list of errors says when each is answered
    errorCode: Literal[1001, 1002, 1003, 1004, 1005, 1006, 1007, 1008, 1009, 1010, 1011, 2001, 2002, 2003, 2004, 2005, 2006, 3001, 3002, 3003, 9001, 9002]
    # Begins with the text of the error code; a colon and a detail may follow
    message: str

class HeartbeatFrameError(_HeartbeatFrameErrorRequired, total=False):
    """Why a frame was refused"""

    # What is wrong with each value, or what is needed
    fields: Dict[str, Any]
    # Repeated in the reply
    seq: Union[float, str]


class _HeartbeatFrameReplyRequired(TypedDict):
    # Milliseconds until the next heartbeat is expected
    nextBeatMs: int
    configVersion: int
    accepted: int
    # Ids that are not registered, or are deregistered
    unknown: List[Id]

class HeartbeatFrameReply(_HeartbeatFrameReplyRequired, total=False):
    """The reply to a frame; frames are answered when they are durable, so replies may overtake each other"""

    # What the node is to do, until a heartbeat names it in `done`
    orders: List[Order]
    warnings: List[str]
    # Repeated in the reply
    seq: Union[float, str]


# Metrics of a node by name, at most 64
HeartbeatMetrics = Dict[str, float]

class _HeartbeatReplyRequired(TypedDict):
    # Milliseconds until the next heartbeat is expected
    nextBeatMs: int
    configVersion: int

class HeartbeatReply(_HeartbeatReplyRequired, total=False):
    """When to send the next heartbeat"""

    # What the node is to do, until a heartbeat names it in `done`
    orders: List[Order]
    warnings: List[str]


# Id of a node, a job or a metric: 1 to 128 characters of A-Z a-z 0-9 . _ : @ -; not . or ..
Id = str

class IdReply(TypedDict):
    """The object that the call was about"""

    id: Id


# An identity provider: a Cognito user pool, or any OpenID Connect provider by its issuer
IdentityProvider = Union["UserPoolProvider", "OpenIdProvider"]

class _IdentityProviderSettingsRequired(TypedDict):
    enabled: bool
    region: str
    userPoolID: str
    clientID: str
    identityPoolID: str
    adminGroups: str

class IdentityProviderSettings(_IdentityProviderSettingsRequired, total=False):
    """The settings of the identity provider, without credentials"""

    # Only with an OpenID Connect provider
    issuer: str
    audience: str
    groupsClaim: str
    scopes: str


class _InstanceRequired(TypedDict):
    zone: str
    instanceId: str
    instanceType: str
    region: str
    payType: str

class Instance(_InstanceRequired, total=False):
    """The cloud instance of a worker node"""

    createTime: Timestamp
    pricePerHour: float
    onDemandPricePerHour: float


class InstanceReport(TypedDict, total=False):
    """The cloud instance of a worker node, as its agent reports it"""

    zone: Union[str, None]
    instanceId: Union[str, None]
    instanceType: Union[str, None]
    region: Union[str, None]
    createTime: Union[Timestamp, None]
    payType: Union[str, None]
    # Price of this instance, USD per hour
    pricePerHour: Union[float, None]
    # On-demand price of this instance, USD per hour
    onDemandPricePerHour: Union[float, None]


class Interruption(TypedDict):
    """A notice of the cloud that it will reclaim the machine"""

    # What the cloud will do: stop, terminate, hibernate, preempt, …
    action: str
    # When the cloud will do it
    time: Timestamp


class _InterruptionNoticeRequired(TypedDict):
    # What the cloud will do: stop, terminate, hibernate, preempt, …
    action: str
    # When the cloud will do it
    time: Timestamp

class InterruptionNotice(_InterruptionNoticeRequired, total=False):
    """A notice of the cloud that it will reclaim the machine, and when it came"""

    # When the server received the first notice
    receivedAt: Timestamp


class InterruptionReply(TypedDict):
    """The stored notice"""

    id: Id
    interruption: Interruption


class _JobRequired(TypedDict):
    id: Id
    queueName: QueueName
    createdAt: Timestamp
    updatedAt: Timestamp
    status: str
    nodeOid: str
    containerId: str
    spotProtCount: int
    batchJobIds: List[str]
    volumeIds: List[str]
    events: List[JobEvent]

class Job(_JobRequired, total=False):
    """A job with its events"""

    name: str
    cpus: float
    memoryInMB: float
    maxRootFSUsageMB: float


class JobCount(TypedDict):
    """The number of jobs, in all and by name"""

    total: int
    # Jobs by name; names without a job are left out
    counts: Dict[str, int]


class _JobDetailRequired(TypedDict):
    id: Id
    queueName: QueueName
    createdAt: Timestamp
    updatedAt: Timestamp
    status: str
    nodeOid: str
    containerId: str
    spotProtCount: int
    batchJobIds: List[str]
    volumeIds: List[str]
    events: List[JobEvent]
    checkpoints: AttemptTally
    restores: AttemptTally
    # Run seconds since the last good checkpoint; null unless the job is running
    workAtRisk: Union[float, None]
    # Run seconds that the loss of its node would cost now: since the last good checkpoint or the last restore, whichever is later; null unless the job is running
    unsavedSeconds: Union[float, None]
    # What a person filters by; stranded while the node of an unfinished job is gone
    phase: Literal["starting", "running", "restoring", "stranded", "succeeded", "failed", "stopped"]

class JobDetail(_JobDetailRequired, total=False):
    """A job with its events and the values derived from them"""

    name: str
    cpus: float
    memoryInMB: float
    maxRootFSUsageMB: float
    # Number of checkpoint pairs that were removed from events
    foldedCheckpoints: int


class _JobEventRequired(TypedDict):
    timestamp: Timestamp
    eventType: str

class JobEvent(_JobEventRequired, total=False):
    """An event in the life of a job; it has only the fields that were sent"""

    nodeOid: str
    containerId: str
    batchJobId: str
    volumnId: str
    detail: str
    stdoutBytes: int
    stderrBytes: int


class _JobEventReportRequired(TypedDict):
    timestamp: Timestamp
    eventType: str

class JobEventReport(_JobEventReportRequired, total=False):
    """An event in the life of a job, as a worker reports it"""

    nodeOid: Union[str, None]
    containerId: Union[str, None]
    batchJobId: Union[str, None]
    # This spelling is part of the interface
    volumnId: Union[str, None]
    # Human-readable reason for the event
    detail: Union[str, None]
    # On Job-Restoring: length of the joined standard output from which this copy continues
    stdoutBytes: Union[int, None]
    # On Job-Restoring: length of the joined standard error from which this copy continues
    stderrBytes: Union[int, None]


# One event, or an array
JobEventReports = Union["JobEventReport", List["JobEventReport"]]

class JobExplanation(TypedDict):
    """A sentence, and findings from the worst to the mildest"""

    summary: str
    findings: List[JobFinding]


class JobFinding(TypedDict):
    """How it is, since when, and what to do"""

    code: Literal["running-normally", "starting-long", "volume-unready", "never-checkpointed", "checkpoints-ceased", "checkpoints-failing", "restoring-long", "restores-failing", "node-late", "node-lost", "node-interrupted", "cannot-be-saved-in-time", "failed", "stopped", "succeeded"]
    severity: Literal["ok", "info", "warning", "critical"]
    # One or two sentences
    text: str
    # Since when it is so; null if that is not known
    since: Union[Timestamp, None]
    # The events, settings and facts it rests on
    evidence: List[Evidence]
    # What to do; null if nothing need be done
    remedy: Union[str, None]


# Jobs
JobList = List["Job"]

class _JobUpdateRequired(TypedDict):
    id: Id
    queueName: QueueName

class JobUpdate(_JobUpdateRequired, total=False):
    """What a worker reports of a job; events are merged into those that are stored"""

    name: Union[str, None]
    cpus: Union[float, None]
    memoryInMB: Union[float, None]
    batchJobIds: Union[List[str], None]
    maxRootFSUsageMB: Union[float, None]
    events: Union[List[JobEventReport], None]
    # Epoch of the claim under which the copy runs
    epoch: Union[Epoch, None]


class _JobUpdateReplyRequired(TypedDict):
    accepted: int
    rejected: List[RejectedUpdate]

class JobUpdateReply(_JobUpdateReplyRequired, total=False):
    """How many updates were stored, and which were not"""

    warnings: List[str]


# One job update, or an array of at most 1,000
JobUpdates = Union["JobUpdate", List["JobUpdate"]]

class JoinTokenRevocation(TypedDict):
    """Which join tokens are no longer valid"""

    revokedThrough: str


class Level(TypedDict):
    """An interval at which a series is kept, and for how long"""

    interval: str
    retention: str


class LogConfiguration(TypedDict):
    """Settings of the server log"""

    # log.level: The least severe level that is logged.
    level: Literal["trace", "debug", "info", "warn", "error", "fatal"]
    # log.maxSizeMB: A log file is rotated before it exceeds this size. In MB.
    maxSizeMB: int
    # log.maxBackups: Number of rotated files to keep beside the current one. In files.
    maxBackups: int


class LogConfigurationChanges(TypedDict, total=False):
    """Changes of the server log’s settings"""

    # log.level: The least severe level that is logged.
    level: Literal["trace", "debug", "info", "warn", "error", "fatal"]
    # log.maxSizeMB: A log file is rotated before it exceeds this size. In MB.
    maxSizeMB: int
    # log.maxBackups: Number of rotated files to keep beside the current one. In files.
    maxBackups: int


# Paths of log files
LogPathList = List[str]

class Metric(TypedDict):
    """A series: a definition and an object"""

    name: str
    id: str
    definition: MetricDefinition
    object: MetricObject
    levels: List[Level]


class MetricDefinition(TypedDict):
    """What is measured, in which unit, and how values are combined"""

    id: str
    description: str
    labels: List[str]
    unit: str
    aggregation: Literal["sum", "avg", "min", "max", "last"]


class _MetricDefinitionRequestRequired(TypedDict):
    aggregation: Literal["sum", "avg", "min", "max", "last"]

class MetricDefinitionRequest(_MetricDefinitionRequestRequired, total=False):
    """A custom metric"""

    name: Union[str, None]
    description: Union[str, None]
    unit: Union[str, None]
    labels: Union[List[str], None]


# Series
MetricList = List["Metric"]

class MetricObject(TypedDict):
    """What a metric is measured of"""

    id: str
    type: str
    name: str


# JSON, one value on each line
NdjsonText = str

class NodeExplanation(TypedDict):
    """A sentence, and findings from the worst to the mildest"""

    summary: str
    findings: List[NodeFinding]


class NodeFinding(TypedDict):
    """How it is, since when, and what to do"""

    code: Literal["alive", "late", "lost", "verdict-held", "deregistered", "drained", "interrupted", "agent-old", "clock-differs", "cannot-checkpoint"]
    severity: Literal["ok", "info", "warning", "critical"]
    # One or two sentences
    text: str
    # Since when it is so; null if that is not known
    since: Union[Timestamp, None]
    # The events, settings and facts it rests on
    evidence: List[Evidence]
    # What to do; null if nothing need be done
    remedy: Union[str, None]


class NodeKeyRequest(TypedDict, total=False):
    """What happens to tokens signed with earlier keys"""

    # Whether tokens signed with earlier keys become invalid now; otherwise they stay valid until they expire
    revokeOld: Union[bool, None]


# Worker nodes
NodeList = List["WorkerNode"]

class NodeRegistration(TypedDict, total=False):
    """A worker node, as its agent registers it; unknown fields are ignored"""

    id: Union[Id, None]
    ips: Union[List[str], None]
    hostName: Union[str, None]
    cloud: Union[str, None]
    arch: Union[str, None]
    cores: Union[int, None]
    cpuModel: Union[str, None]
    cpuVendor: Union[str, None]
    memoryInMB: Union[int, None]
    instance: Union[InstanceReport, None]
    agent: Union[AgentReport, None]


class NodeToken(TypedDict):
    """A token of a node, or a join token; it is shown only this once"""

    token: str
    expiresAt: str


class NodeTokenKey(TypedDict):
    """The key that signs node tokens from now on"""

    keyId: str


class _NodeTokenRequestRequired(TypedDict):
    ttl: TokenLifetime

class NodeTokenRequest(_NodeTokenRequestRequired, total=False):
    """A token for a node, or, without nodeId, a join token"""

    # The node that the token is for; absent for a join token
    nodeId: Union[Id, None]


class NodeTokenRevocation(TypedDict):
    """Which tokens are no longer valid"""

    nodeId: str
    revokedThrough: str


class _NumberedHeartbeatsRequired(TypedDict):
    beats: HeartbeatBatch

class NumberedHeartbeats(_NumberedHeartbeatsRequired, total=False):
    """Heartbeats of many nodes, with a number that the reply repeats"""

    # Repeated in the reply
    seq: Union[float, str]


# What a metric is measured of: system-total, queue-<name>, node-<id>, or a name of the sender
ObjectId = str

class OpenApiDocument(TypedDict):
    """This document"""

    openapi: str


class _OpenIdProviderRequired(TypedDict):
    # The issuer, exactly as its tokens name it: https, or http on loopback
    issuer: str
    # The client of the dashboard: public, with the authorization code flow and PKCE
    clientID: str
    # Users in one of these groups are administrators; separated by commas
    adminGroups: Union[str, List[str]]

class OpenIdProvider(_OpenIdProviderRequired, total=False):
    """An OpenID Connect provider as the identity provider"""

    # What aud must contain; without it, aud, azp, client_id or cid is the client
    audience: Union[str, None]
    # The claim with the groups: a name, or else a path such as realm_access.roles; groups by default
    groupsClaim: Union[str, None]
    # Scopes that the dashboard asks for; openid by default
    scopes: Union[Union[str, List[str]], None]
    # An access token of an administrator, to be checked with these settings
    token: Union[str, None]


class _OrderRequired(TypedDict):
    id: Id
    type: Literal["drain", "undrain", "checkpoint"]
    node: Id

class Order(_OrderRequired, total=False):
    """What a node is to do; it is repeated until a heartbeat names its id in `done`"""

    # The job to checkpoint
    job: Id


class PhaseCounts(TypedDict):
    """Jobs by phase; every phase is present"""

    starting: int
    running: int
    restoring: int
    stranded: int
    succeeded: int
    failed: int
    stopped: int


class Point(TypedDict):
    """The value of one interval; time is the start of the interval"""

    time: Timestamp
    value: float


class Queue(TypedDict):
    """A queue with its jobs by phase"""

    name: QueueName
    # Jobs in the queue, ended ones included
    total: int
    phases: PhaseCounts
    # When a job of the queue was last updated
    updatedAt: Timestamp


class QueueLabel(TypedDict):
    """The queue that a value is of"""

    queueName: str


# Queues by name
QueueList = List["Queue"]

# Name of a queue: 1 to 128 characters of A-Z a-z 0-9 . _ : @ - / and space; not . or ..
QueueName = str

class Reclaim(TypedDict):
    """A spot node that the cloud took back"""

    nodeId: Id
    instanceId: str
    zone: str
    instanceType: str
    # State of the node now
    state: Literal["alive", "late", "lost", "deregistered"]
    # Last heartbeat of the node
    time: Timestamp
    # The cloud’s notice; null if the node was lost without one
    notice: Union[InterruptionNotice, None]
    # Jobs that ran there
    jobCount: int
    # The 100 of these with the most work to repeat
    jobs: List[ReclaimedJob]
    repeatedSeconds: float
    cost: float


class ReclaimList(TypedDict):
    """Reclaims of spot nodes in a range of time, with what they cost"""

    start: Timestamp
    end: Timestamp
    totals: ReclaimTotals
    # Newest first, at most as many as the limit
    reclaims: List[Reclaim]
    # False if there were too many nodes or jobs to look at all of them
    isComplete: bool


class ReclaimTotals(TypedDict):
    """Sums over all reclaims in the range"""

    reclaims: int
    # Reclaims with a notice
    noticed: int
    # Jobs that were interrupted, each once for each reclaim
    jobs: int
    repeatedSeconds: float
    cost: float


class ReclaimedJob(TypedDict):
    """A job that a reclaim interrupted"""

    id: Id
    queueName: QueueName
    # restored from a checkpoint, restarted from nothing, restoreFailed so far, or the phase of the job now
    outcome: Literal["restored", "restarted", "restoreFailed", "starting", "running", "restoring", "stranded", "succeeded", "failed", "stopped"]
    # Node that the job was put on next; null if none
    nodeOid: Union[str, None]
    # From its last sign on the node until it ran again; null until then
    downSeconds: Union[float, None]
    # Run seconds on the node that no good checkpoint held
    repeatedSeconds: float
    # USD: that time at the price of the node that repeats it, or else of the lost one
    cost: float


class _RegistrationReplyRequired(TypedDict):
    # Milliseconds until the next heartbeat is expected
    nextBeatMs: int
    configVersion: int
    id: Id

class RegistrationReply(_RegistrationReplyRequired, total=False):
    """The node is registered"""

    # What the node is to do, until a heartbeat names it in `done`
    orders: List[Order]
    warnings: List[str]
    # The node must accept no new jobs
    drained: Literal[True]
    # The node’s own token, if the node presented a join token or renews a token obtained with one
    token: str


class RejectedSample(TypedDict):
    """A sample that was not stored, and why"""

    # Place in the request, from 0
    index: int
    objectId: str
    definitionId: str
    errorCode: int
    message: str


class _RejectedUpdateRequired(TypedDict):
    id: str
    errorCode: int
    message: str

class RejectedUpdate(_RejectedUpdateRequired, total=False):
    """A job update that was not stored, and why"""

    fields: Dict[str, Any]


class Sample(TypedDict):
    """One measured value"""

    objectId: ObjectId
    definitionId: Id
    time: Timestamp
    value: float


class _SampleColumnsRequired(TypedDict):
    # The object of each row
    objectIds: List[ObjectId]
    # A column for each metric: its value in each row, or null where it has none
    values: Dict[str, List[Union[float, None]]]

class SampleColumns(_SampleColumnsRequired, total=False):
    """Measured values as a table, at most 10,000 places (rows times columns)"""

    # The time of all rows
    time: Timestamp
    # Instead of time: the time of each row
    times: List[Timestamp]


# Measured values, at most 10,000
SampleList = List["Sample"]

class SampleReply(TypedDict):
    """How many samples were stored, and which were not"""

    accepted: int
    rejected: List[RejectedSample]


# Measured values: a list, a single one, or columns
Samples = Union["SampleList", "Sample", "SampleColumns"]

class Series(TypedDict):
    """A time series; intervals without samples are omitted"""

    id: str
    points: List[Point]
    metaData: Dict[str, str]


class ServiceToken(TypedDict):
    """A service token, without the token itself"""

    id: str
    name: str
    role: Literal["viewer", "operator", "admin"]
    queues: Union[List[str], None]
    createdAt: str
    createdBy: str
    expiresAt: str


# Service tokens, the oldest first
ServiceTokenList = List["ServiceToken"]

class _ServiceTokenRequestRequired(TypedDict):
    # What the token is for; shown in the access log and the audit log
    name: str
    # What the bearer may do
    role: Literal["viewer", "operator", "admin"]
    ttl: TokenLifetime

class ServiceTokenRequest(_ServiceTokenRequestRequired, total=False):
    """A role for a program, everywhere or for some queues"""

    # The queues that a viewer or an operator is bound to; absent for all
    queues: Union[List[QueueName], None]


# A POSIX shell script
ShellScript = str

class StoredSize(TypedDict):
    """Bytes of the log that are stored"""

    size: int


class _StoredWebhookRequired(TypedDict):
    id: Id
    url: str
    types: List[str]
    format: Literal["cairn", "slack"]
    # Nothing is delivered until somebody resumes it
    paused: bool
    # failing: the latest attempt failed, tests included
    state: Literal["ok", "failing", "paused"]
    # Events that are not delivered yet
    waiting: int
    # Events that were given up; POST …/replay delivers them
    setAside: int
    # Events that can no longer be delivered: they were removed before they could be sent
    lost: int
    # When a failed delivery is attempted again
    nextAttempt: Union[Timestamp, None]
    # The latest attempt at this URL, tests included; null before the first since the server’s start
    lastDelivery: Union[WebhookDelivery, None]

class StoredWebhook(_StoredWebhookRequired, total=False):
    """The webhook as it is stored; with its secret if the server created one"""

    queue: QueueName
    job: Id
    node: Id
    eventTypes: List[str]
    # The secret that the server created; it is shown only this once
    secret: str


class Summary(TypedDict):
    """Sums by metric, one item for each queue"""

    items: Dict[str, List[SummaryItem]]


class SummaryItem(TypedDict):
    """The sum of one metric in one queue"""

    id: str
    point: Point
    metaData: QueueLabel


# Lines of text in UTF-8
TextFile = str

# A time, RFC 3339 in UTC, with 0 to 9 fraction digits
Timestamp = str

# How long a token is valid: a duration, or integer nanoseconds
TokenLifetime = Union[str, int]

class _UserPoolProviderRequired(TypedDict):
    region: str
    userPoolID: str
    clientID: str
    identityPoolID: str
    adminGroups: str

class UserPoolProvider(_UserPoolProviderRequired, total=False):
    """A Cognito user pool as the identity provider"""

    accessKey: Union[str, None]
    secretKey: Union[str, None]
    token: Union[str, None]


class _WebhookRequired(TypedDict):
    id: Id
    url: str
    types: List[str]
    format: Literal["cairn", "slack"]
    # Nothing is delivered until somebody resumes it
    paused: bool
    # failing: the latest attempt failed, tests included
    state: Literal["ok", "failing", "paused"]
    # Events that are not delivered yet
    waiting: int
    # Events that were given up; POST …/replay delivers them
    setAside: int
    # Events that can no longer be delivered: they were removed before they could be sent
    lost: int
    # When a failed delivery is attempted again
    nextAttempt: Union[Timestamp, None]
    # The latest attempt at this URL, tests included; null before the first since the server’s start
    lastDelivery: Union[WebhookDelivery, None]

class Webhook(_WebhookRequired, total=False):
    """A webhook and how its deliveries go"""

    queue: QueueName
    job: Id
    node: Id
    eventTypes: List[str]


class WebhookDelivery(TypedDict):
    """One attempt to deliver an event"""

    # The event’s id, as the receiver sees it in webhook-id
    id: str
    type: str
    # When the attempt began
    time: Timestamp
    # Id of the job that the event tells of; null for other events
    job: Union[str, None]
    # Node that the event tells of, as the event names it; null for other events
    node: Union[str, None]
    # What happened to the job, such as Job-Failed; null for other events
    eventType: Union[str, None]
    attempt: int
    # HTTP status; null if there was no answer
    status: Union[int, None]
    ms: int
    # Why it failed; null if it was delivered
    error: Union[str, None]


class _WebhookDetailRequired(TypedDict):
    id: Id
    url: str
    types: List[str]
    format: Literal["cairn", "slack"]
    # Nothing is delivered until somebody resumes it
    paused: bool
    # failing: the latest attempt failed, tests included
    state: Literal["ok", "failing", "paused"]
    # Events that are not delivered yet
    waiting: int
    # Events that were given up; POST …/replay delivers them
    setAside: int
    # Events that can no longer be delivered: they were removed before they could be sent
    lost: int
    # When a failed delivery is attempted again
    nextAttempt: Union[Timestamp, None]
    # The latest attempt at this URL, tests included; null before the first since the server’s start
    lastDelivery: Union[WebhookDelivery, None]
    deliveries: List[WebhookDelivery]

class WebhookDetail(_WebhookDetailRequired, total=False):
    """A webhook with its last deliveries, newest first"""

    queue: QueueName
    job: Id
    node: Id
    eventTypes: List[str]


# Webhooks by id
WebhookList = List["Webhook"]

class _WebhookRequestRequired(TypedDict):
    url: str
    types: List[Literal["node.registered", "node.late", "node.lost", "node.alive", "node.deregistered", "node.drained", "node.interruption", "job.event", "job.removed", "config.changed"]]
    # slack sends {"text": …} instead of the event
    format: Literal["cairn", "slack"]

class WebhookRequest(_WebhookRequestRequired, total=False):
    """Where events are sent, which ones, and in which form"""

    # Only events of this queue
    queue: Union[QueueName, None]
    # Only events of this job
    job: Union[Id, None]
    # Only events of this node
    node: Union[Id, None]
    # Of job events only these, such as Job-Failed; all of them without it
    eventTypes: Union[List[str], None]
    # Signs the deliveries; without it the server creates one, or keeps the one that it has
    secret: Union[str, None]
    # true: events wait and nothing is delivered; false: deliveries go on; without it, what is set stays
    paused: Union[bool, None]


class WebhookTest(TypedDict):
    """How a test delivery went"""

    delivered: bool
    status: Union[int, None]
    ms: int
    error: Union[str, None]


class _WorkerNodeRequired(TypedDict):
    id: Id
    ips: List[str]
    hostName: str
    cloud: str
    arch: str
    cores: int
    cpuModel: str
    cpuVendor: str
    memoryInMB: int
    instance: Instance
    lastHeartbeat: Timestamp
    state: Literal["alive", "late", "lost", "deregistered"]

class WorkerNode(_WorkerNodeRequired, total=False):
    """A worker node"""

    # What the agent said of itself when it registered
    agent: Agent
    # The node must accept no new jobs
    drained: Literal[True]
    # The cloud’s notice that it will reclaim the machine
    interruption: Interruption
    # When the server declared the node lost, or the node deregistered
    endedAt: Timestamp


__all__ = [
    "Agent",
    "AgentReport",
    "AttemptTally",
    "AuditRecord",
    "AuditRecordList",
    "BatchedHeartbeat",
    "Bytes",
    "Caller",
    "CheckpointChanges",
    "CheckpointOrder",
    "CheckpointOrderAnswer",
    "Claim",
    "ClaimReply",
    "Configuration",
    "ConfigurationChange",
    "ConfigurationChanges",
    "ConfigurationCkpt",
    "ConfigurationHistory",
    "ConfigurationJob",
    "ConfigurationLog",
    "ConfigurationNode",
    "ConfigurationPush",
    "ConfigurationSecurity",
    "ConfigurationSecurityIdp",
    "ConfigurationSecurityLimits",
    "ConfigurationSecurityWebhooks",
    "ConfigurationTexts",
    "CreatedServiceToken",
    "CsvText",
    "DefinedMetric",
    "DoctorCheck",
    "DoctorFinding",
    "DoctorReport",
    "DrainReply",
    "Duration",
    "Epoch",
    "Error",
    "EventStream",
    "Evidence",
    "Health",
    "Heartbeat",
    "HeartbeatBatch",
    "HeartbeatBatchReply",
    "HeartbeatFrame",
    "HeartbeatFrameError",
    "HeartbeatFrameReply",
    "HeartbeatMetrics",
    "HeartbeatReply",
    "Id",
    "IdReply",
    "IdentityProvider",
    "IdentityProviderSettings",
    "Instance",
    "InstanceReport",
    "Interruption",
    "InterruptionNotice",
    "InterruptionReply",
    "Job",
    "JobCount",
    "JobDetail",
    "JobEvent",
    "JobEventReport",
    "JobEventReports",
    "JobExplanation",
    "JobFinding",
    "JobList",
    "JobUpdate",
    "JobUpdateReply",
    "JobUpdates",
    "JoinTokenRevocation",
    "Level",
    "LogConfiguration",
    "LogConfigurationChanges",
    "LogPathList",
    "Metric",
    "MetricDefinition",
    "MetricDefinitionRequest",
    "MetricList",
    "MetricObject",
    "NdjsonText",
    "NodeExplanation",
    "NodeFinding",
    "NodeKeyRequest",
    "NodeList",
    "NodeRegistration",
    "NodeToken",
    "NodeTokenKey",
    "NodeTokenRequest",
    "NodeTokenRevocation",
    "NumberedHeartbeats",
    "ObjectId",
    "OpenApiDocument",
    "OpenIdProvider",
    "Order",
    "PhaseCounts",
    "Point",
    "Queue",
    "QueueLabel",
    "QueueList",
    "QueueName",
    "Reclaim",
    "ReclaimList",
    "ReclaimTotals",
    "ReclaimedJob",
    "RegistrationReply",
    "RejectedSample",
    "RejectedUpdate",
    "Sample",
    "SampleColumns",
    "SampleList",
    "SampleReply",
    "Samples",
    "Series",
    "ServiceToken",
    "ServiceTokenList",
    "ServiceTokenRequest",
    "ShellScript",
    "StoredSize",
    "StoredWebhook",
    "Summary",
    "SummaryItem",
    "TextFile",
    "Timestamp",
    "TokenLifetime",
    "UserPoolProvider",
    "Webhook",
    "WebhookDelivery",
    "WebhookDetail",
    "WebhookList",
    "WebhookRequest",
    "WebhookTest",
    "WorkerNode",
]
