/** Made by `npm run docs` from the OpenAPI document of the server; a test fails where they differ. */

export interface paths {
  '/api/v1/security/idp': {
    /** Read the identity provider settings */
    get: operations['getIdp'];
    /** Enable the identity provider after checking every setting against it */
    put: operations['enableIdp'];
    /** Disable the identity provider */
    delete: operations['disableIdp'];
  };
  '/api/v1/security/nodeToken': {
    /** Create a node token, or, without nodeId, a join token that is valid only for registering */
    post: operations['makeNodeToken'];
    /** Revoke every join token created so far */
    delete: operations['revokeJoinTokens'];
  };
  '/api/v1/security/nodeToken/{id}': {
    /** Revoke every token issued to the node so far */
    delete: operations['revokeNodeToken'];
  };
  '/api/v1/security/nodeKey': {
    /** Sign node tokens with a new key from now on */
    post: operations['rotateNodeKey'];
  };
  '/api/v1/security/serviceToken': {
    /** List the service tokens that are valid, without the tokens themselves */
    get: operations['listServiceTokens'];
    /** Create a service token: a role for a program, everywhere or for some queues */
    post: operations['makeServiceToken'];
  };
  '/api/v1/security/serviceToken/{id}': {
    /** Revoke a service token; it is invalid when the call is answered */
    delete: operations['revokeServiceToken'];
  };
  '/api/v1/security/me': {
    /** Read who the caller is and which roles the caller has */
    get: operations['getMe'];
  };
  '/api/v1/audit': {
    /** Read the audit log: who changed what, and from where; newest first */
    get: operations['getAudit'];
  };
  '/api/v1/config': {
    /** Read the configuration */
    get: operations['getConfig'];
  };
  '/api/v1/configKV': {
    /** Change configuration values by dotted path; all or nothing */
    put: operations['putConfigKv'];
  };
  '/api/v1/ckptConfig': {
    /** Change checkpoint settings, natively typed; use PUT /api/v1/configKV @deprecated */
    put: operations['putCkptConfig'];
  };
  '/api/v1/config/history': {
    /** List the last 100 configuration changes, newest first */
    get: operations['getConfigHistory'];
  };
  '/api/v1/metrics/summary': {
    /** Read the sums of every job metric by queue over a time range */
    get: operations['getSummary'];
  };
  '/api/v1/metric': {
    /** List every series with its definition, object and levels */
    get: operations['listMetrics'];
  };
  '/api/v1/metric/{id}': {
    /** Define a custom metric */
    put: operations['putMetric'];
  };
  '/api/v1/metricValue/{objectId}/{definitionId}': {
    /** Read the time series of one metric of one object */
    get: operations['getSeries'];
  };
  '/api/v1/metricValue': {
    /** Report samples */
    post: operations['postSamples'];
  };
  '/api/v1/log/config': {
    /** Read the log configuration */
    get: operations['getLogConfig'];
    /** Change the log configuration */
    put: operations['putLogConfig'];
  };
  '/nodes/{id}/{path}': {
    /** Read a node log file */
    get: operations['getNodeFile'];
  };
  '/api/v1/node': {
    /** List worker nodes */
    get: operations['listNodes'];
  };
  '/api/v1/node/{id}': {
    /** Read one node, including a lost or deregistered one */
    get: operations['getNode'];
    /** Register or update a worker node; counts as a heartbeat */
    put: operations['registerNode'];
    /** Deregister a node: remove it from the list of running nodes */
    delete: operations['deregisterNode'];
  };
  '/api/v1/node/{id}/explain': {
    /** Explain how a node is, and what keeps it from doing its work */
    get: operations['explainNode'];
  };
  '/api/v1/reclaim': {
    /** List reclaims of spot nodes with the jobs that they interrupted, the work that is repeated and its cost */
    get: operations['listReclaims'];
  };
  '/api/v1/node/{id}/heartbeat': {
    /** Send one heartbeat */
    post: operations['postHeartbeat'];
  };
  '/api/v1/heartbeat': {
    /** Send heartbeats of many nodes, at most 10,000 */
    post: operations['postHeartbeats'];
  };
  '/api/v1/nodes/{id}/files': {
    /** List a node’s log files */
    get: operations['listNodeFiles'];
  };
  '/api/v1/nodes/{id}/files/{path}': {
    /** Append to a node’s log file */
    post: operations['appendNodeFile'];
  };
  '/api/v1/job': {
    /** List jobs with their events */
    get: operations['listJobs'];
    /** Report job updates: one, or an array of at most 1,000 */
    post: operations['postJobs'];
  };
  '/api/v1/job/count': {
    /** Count jobs by phase, status or queue */
    get: operations['countJobs'];
  };
  '/api/v1/job/{id}': {
    /** Read one job with the values derived from its events */
    get: operations['getJob'];
  };
  '/api/v1/job/{id}/checkpoint': {
    /** Read what became of the last order to save a job: whether its node has taken it */
    get: operations['getCheckpointOrder'];
    /** Order a checkpoint of a running job; its node gets the order with the reply to its next heartbeat */
    post: operations['checkpointJob'];
  };
  '/api/v1/job/{id}/explain': {
    /** Explain whether a job makes progress, why not, and what to do */
    get: operations['explainJob'];
  };
  '/api/v1/job/{id}/logs.tar.gz': {
    /** Download everything about a job in one file: the job, the logs of its nodes and the server log lines about it */
    get: operations['getJobBundle'];
  };
  '/api/v1/job/{id}/output/{output}': {
    /** Read what a job wrote to standard output (stdout) or standard error (stderr), joined over its copies */
    get: operations['getJobOutput'];
  };
  '/api/v1/job/{id}/event': {
    /** Report events of a job: one, or an array */
    post: operations['postJobEvents'];
  };
  '/api/v1/event': {
    /** Follow events of nodes, jobs and the configuration as server-sent events, resumable with Last-Event-ID */
    get: operations['getEvents'];
  };
  '/api/v1/openapi.json': {
    /** Read this API description */
    get: operations['getOpenApi'];
  };
  '/livez': {
    /** Check that the process is running */
    get: operations['livez'];
  };
  '/readyz': {
    /** Check that the server is ready, with reasons for caution */
    get: operations['readyz'];
  };
  '/metrics': {
    /** Read the server’s own metrics */
    get: operations['getMetricsText'];
  };
  '/api/v1/doctor': {
    /** Find what is wrong with the server, each finding with a remedy */
    get: operations['getDoctor'];
  };
  '/{log_name}.log': {
    /** Read the server log (/{log_name}.log) or the access log (/{log_name}-access.log) */
    get: operations['getServerLog'];
  };
  '/api/v1/webhook': {
    /** List the webhooks that the caller manages */
    get: operations['listWebhooks'];
  };
  '/api/v1/webhook/{id}': {
    /** Read one webhook with its last 100 deliveries since the server’s start, newest first */
    get: operations['getWebhook'];
    /** Add or change a webhook: events of these types are sent to its URL from now on */
    put: operations['putWebhook'];
    /** Remove a webhook with everything that waits for it */
    delete: operations['removeWebhook'];
  };
  '/api/v1/webhook/{id}/test': {
    /** Send one event of the type webhook.test at once */
    post: operations['testWebhook'];
  };
  '/api/v1/webhook/{id}/replay': {
    /** Deliver at once what was set aside and what is waiting */
    post: operations['replayWebhook'];
  };
  '/api/v1/job/{id}/claim': {
    /** Claim a job for a node before the node runs it */
    put: operations['claimJob'];
  };
  '/api/v1/node/{id}/interruption': {
    /** Report the cloud’s interruption notice for a node; registering again withdraws it */
    post: operations['interruptNode'];
  };
  '/api/v1/node/{id}/drain': {
    /** Drain a node: its agent accepts no new jobs; running jobs continue */
    post: operations['drainNode'];
    /** Undo the drain of a node */
    delete: operations['undrainNode'];
  };
  '/api/v1/queue': {
    /** List queues with their jobs by phase */
    get: operations['listQueues'];
  };
  '/api/v1/scripts/install-agent': {
    /** Read the shell script that makes a machine a worker of this server; it takes --join-token and --fingerprint */
    get: operations['getInstallScript'];
  };
  '/api/v1/agent/package': {
    /** Download the worker agent’s package */
    get: operations['getAgentPackage'];
  };
}

export interface components {
  schemas: {
    /** The agent of a worker node */
    Agent: {
      version?: string;
      engine?: string;
      canCheckpoint?: boolean;
      reason?: string;
      saveMBps?: number;
      clockDifferenceMs?: number;
    };
    /** What the agent says of itself when it registers */
    AgentReport: {
      version?: string | null;
      /** The agent’s clock when it sent the registration */
      time?: components['schemas']['Timestamp'] | null;
      /** What takes the checkpoints: criu, podman or none */
      engine?: string | null;
      canCheckpoint?: boolean | null;
      /** Why it cannot checkpoint */
      reason?: string | null;
      /** Measured by its last checkpoint */
      saveMBps?: number | null;
    };
    /** How often something was tried, and how it ended */
    AttemptTally: {
      attempts: number;
      successes: number;
      failures: number;
    };
    /** Who did what, from where; each record carries the hash of the previous one */
    AuditRecord: {
      seq: number;
      time: string;
      who: string;
      from: string;
      action: string;
      target: string;
      detail: {
        [key: string]: unknown;
      };
      prev: string;
      hash: string;
    };
    /** Records, newest first */
    AuditRecordList: (components['schemas']['AuditRecord'])[];
    /** A heartbeat in a batch */
    BatchedHeartbeat: {
      time?: components['schemas']['Timestamp'] | null;
      metrics?: components['schemas']['HeartbeatMetrics'] | null;
      /** Ids of the orders that the node has taken */
      done?: (components['schemas']['Id'])[] | null;
      id: components['schemas']['Id'];
    };
    /** Bytes as they are */
    Bytes: string;
    /** Who the caller is */
    Caller: {
      name: string;
      /** viewer, operator or admin, bound to queues as in viewer@a|b; node, or join */
      roles: (string)[];
      /** The queues whose jobs the caller sees; null: all */
      queues: (string)[] | null;
      /** Groups in the token; null where it carries none */
      groups: (string)[] | null;
      /** When the token ends */
      expiresAt: string | null;
      /** Whether the identity provider is on; while it is off everybody is an administrator */
      identityProvider: boolean;
      /** The node that a node token is for */
      nodeId?: string;
    };
    /** Changes of checkpoint settings; durations may also be integer nanoseconds */
    CheckpointChanges: {
      /** ckpt.ckptMode: With iterative, jobs are saved at every interval, including those that already run. With none, or while this is not set, a job whose node goes loses all of its work. */
      ckptMode?: 'iterative' | 'none' | 'unknown';
      /** ckpt.ckptImagePath: Folder on the workers that stores checkpoint images. */
      ckptImagePath?: string;
      /** ckpt.ckptInterval: Interval between checkpoints. A job whose node goes loses at most this much work, plus the time of one checkpoint. A value below 2m is accepted with a warning: the pauses may cost more than they save. */
      ckptInterval?: components['schemas']['Duration'];
      /** ckpt.ckptFiles: Additional files to copy with each checkpoint. */
      ckptFiles?: (string)[] | null;
      /** ckpt.IRMapScanPaths: Paths to scan for the inode reverse map. */
      IRMapScanPaths?: (string)[] | null;
      /** ckpt.ckptOnSigTerm: Take a checkpoint when the job receives SIGTERM, as happens before a spot reclaim. */
      ckptOnSigTerm?: boolean;
      /** ckpt.diagnosisMode: Workers keep the working files of failed checkpoints for diagnosis. */
      diagnosisMode?: boolean;
      /** ckpt.rootFSDiff: Include the changes of the root filesystem in the checkpoint. */
      rootFSDiff?: boolean;
      /** ckpt.cloudMonitorMode: Workers watch for interruption notices from the cloud. */
      cloudMonitorMode?: boolean;
      /** ckpt.tcpClose: Close all of the job’s TCP connections when checkpointing. */
      tcpClose?: boolean;
    };
    /** The last order to save a job, of the last 24 hours */
    CheckpointOrder: {
      node: components['schemas']['Id'];
      /** When it was ordered, by the clock of the server */
      orderedAt: components['schemas']['Timestamp'];
      /** When a heartbeat of the node said that it has taken the order; null before */
      takenAt: components['schemas']['Timestamp'] | null;
    };
    /** The last order to save a job; null where none was given in the last 24 hours */
    CheckpointOrderAnswer: {
      order: components['schemas']['CheckpointOrder'] | null;
    };
    /** Which node will run the job */
    Claim: {
      /** Id of the node that will run the job; it must be registered */
      nodeId: components['schemas']['Id'];
      /** Lower limit of the epoch in the reply */
      minEpoch?: components['schemas']['Epoch'] | null;
      /** Queue of the job; required if the job is new */
      queueName?: components['schemas']['QueueName'] | null;
    };
    /** The claim */
    ClaimReply: {
      epoch: number;
      /** Status of the job when it was claimed; Unknown if it is new */
      status: string;
    };
    /** The whole configuration */
    Configuration: {
      /** addr: Where the server listens, scheme://host:port. The new address is bound before the answer; then the old one stops accepting connections. */
      addr: string;
      /** id: Instance identifier. */
      id: string;
      /** staticFolder: Folder of the web frontend. */
      staticFolder: string;
      log: components['schemas']['ConfigurationLog'];
      /** Absent for callers bound to queues */
      security?: components['schemas']['ConfigurationSecurity'];
      ckpt: components['schemas']['ConfigurationCkpt'];
      node: components['schemas']['ConfigurationNode'];
      job: components['schemas']['ConfigurationJob'];
    };
    /** Who changed what, and when */
    ConfigurationChange: {
      version: number;
      time: string;
      who: string;
      key: string;
      old: unknown;
      new: unknown;
    };
    /** Changes of the configuration: all of them are made, or none */
    ConfigurationChanges: {
      kvMap: components['schemas']['ConfigurationTexts'];
    };
    /** The settings ckpt.* */
    ConfigurationCkpt: {
      /** ckpt.ckptMode: With iterative, jobs are saved at every interval, including those that already run. With none, or while this is not set, a job whose node goes loses all of its work. */
      ckptMode: 'iterative' | 'none' | 'unknown';
      /** ckpt.ckptImagePath: Folder on the workers that stores checkpoint images. */
      ckptImagePath: string;
      /** ckpt.ckptInterval: Interval between checkpoints. A job whose node goes loses at most this much work, plus the time of one checkpoint. A value below 2m is accepted with a warning: the pauses may cost more than they save. */
      ckptInterval: components['schemas']['Duration'];
      /** ckpt.ckptFiles: Additional files to copy with each checkpoint. */
      ckptFiles: (string)[] | null;
      /** ckpt.IRMapScanPaths: Paths to scan for the inode reverse map. */
      IRMapScanPaths: (string)[] | null;
      /** ckpt.ckptOnSigTerm: Take a checkpoint when the job receives SIGTERM, as happens before a spot reclaim. */
      ckptOnSigTerm: boolean;
      /** ckpt.diagnosisMode: Workers keep the working files of failed checkpoints for diagnosis. */
      diagnosisMode: boolean;
      /** ckpt.rootFSDiff: Include the changes of the root filesystem in the checkpoint. */
      rootFSDiff: boolean;
      /** ckpt.cloudMonitorMode: Workers watch for interruption notices from the cloud. */
      cloudMonitorMode: boolean;
      /** ckpt.tcpClose: Close all of the job’s TCP connections when checkpointing. */
      tcpClose: boolean;
    };
    /** The last changes of the configuration, newest first */
    ConfigurationHistory: (components['schemas']['ConfigurationChange'])[];
    /** The settings job.* */
    ConfigurationJob: {
      /** job.volPerJob: Create a new block volume for each job. */
      volPerJob: boolean;
      /** job.customTags: Tags for the resources that are created for a job. */
      customTags: {
        [key: string]: string;
      };
      /** job.volMountPath: Where a job finds its volume. */
      volMountPath: string;
      /** job.diskType: Type of each new volume: gp and io are SSDs, st and sc are hard disks, which cost less. */
      diskType: 'gp2' | 'gp3' | 'io1' | 'io2' | 'st1' | 'sc1';
      /** job.diskSizeGB: Size of each new volume. Unused space costs the same. In GB. */
      diskSizeGB: number;
      /** job.diskThroughputMB: Throughput of each new volume. The cloud charges for more than its base. In MB/s. */
      diskThroughputMB: number;
      /** job.storCleanIntvl: How often workers clean up the storage of ended jobs. */
      storCleanIntvl: components['schemas']['Duration'];
      /** job.retentionPolicy: How ended jobs are removed: after a time. */
      retentionPolicy: 'time';
      /** job.retentionInterval: How often retention is checked. */
      retentionInterval: components['schemas']['Duration'];
      /** job.successTTL: How long a succeeded job is kept after its last event. */
      successTTL: components['schemas']['Duration'];
      /** job.failureTTL: How long a failed or stopped job is kept after its last event. */
      failureTTL: components['schemas']['Duration'];
    };
    /** The settings log.* */
    ConfigurationLog: {
      /** log.file: Server log; the access log is the file <name>-access.log beside it. The URL paths /<name>.log and /<name>-access.log follow the name. It must be in the log folder or below a folder listed in CAIRN_LOG_ROOTS when the server starts; symbolic links are resolved first. */
      file: string;
      /** log.level: The least severe level that is logged. */
      level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal';
      /** log.maxSizeMB: A log file is rotated before it exceeds this size. In MB. */
      maxSizeMB: number;
      /** log.maxBackups: Number of rotated files to keep beside the current one. In files. */
      maxBackups: number;
    };
    /** The settings node.* */
    ConfigurationNode: {
      /** node.heartbeat: How often a worker node reports. A shorter interval shows its state sooner and costs more requests. */
      heartbeat: components['schemas']['Duration'];
      /** node.ttl: A node is marked lost after this long without a heartbeat, never earlier. Must be at least twice node.heartbeat. */
      ttl: components['schemas']['Duration'];
      /** node.maxPerLogSizeMB: Maximum size of one stored node log file; the oldest whole lines are removed first. In MB. */
      maxPerLogSizeMB: number;
      /** node.maxNodeLogTotalMB: Maximum total size of the stored log files of one node. In MB. */
      maxNodeLogTotalMB: number;
      /** node.cleanLogInterval: How often a sweep applies these limits and removes the logs of nodes that are no longer kept. */
      cleanLogInterval: components['schemas']['Duration'];
    };
    /** Sent by the server when the configuration has changed */
    ConfigurationPush: {
      type: 'config';
      configVersion: number;
    };
    /** The settings security.* */
    ConfigurationSecurity: {
      /** security.certFile: Certificate (PEM, leaf first). Changes to the file take effect within 15 s. */
      certFile: string;
      /** security.keyFile: Private key (PEM) of the certificate. */
      keyFile: string;
      /** security.clientCAFile: Certificates (PEM) of the authority that signs worker certificates. When set, worker calls need a certificate signed by it. Changes to the file take effect within 15 s. Empty: no client certificate is requested. */
      clientCAFile: string;
      idp: components['schemas']['ConfigurationSecurityIdp'];
      /** security.roles: Roles by group: viewer, operator or admin; viewer@<queue> and operator@<queue>\|<queue> are bound to queues. In names, write `:` `,` `@` `%` and `\|` as %3A %2C %40 %25 and %7C. Empty: every signed-in user is a viewer. Administrator groups stay administrators. */
      roles: {
        [key: string]: string;
      };
      /** security.corsOrigins: Origins whose pages may call the API from a browser (CORS); none by default. */
      corsOrigins: (string)[];
      limits: components['schemas']['ConfigurationSecurityLimits'];
      webhooks: components['schemas']['ConfigurationSecurityWebhooks'];
    };
    /** The settings security.idp.* */
    ConfigurationSecurityIdp: {
      /** security.idp.enabled: Whether calls need a token from the identity provider. */
      enabled: boolean;
      /** security.idp.userPoolID: User pool, <region>_<id>. */
      userPoolID: string;
      /** security.idp.identityPoolID: Identity pool, <region>:<uuid>. */
      identityPoolID: string;
      /** security.idp.clientID: App client of the pool (type: single-page application). */
      clientID: string;
      /** security.idp.adminGroups: Users in one of these groups are administrators. */
      adminGroups: (string)[];
      /** security.idp.issuer: Issuer of an OpenID Connect provider. Empty: the user pool is the provider. */
      issuer: string;
      /** security.idp.audience: With an issuer: what aud of a token must contain. Empty: the token must be for clientID. */
      audience: string;
      /** security.idp.groupsClaim: With an issuer: the claim with a user’s groups, by name or by path, such as realm_access.roles. Empty: groups. */
      groupsClaim: string;
      /** security.idp.scopes: With an issuer: the scopes that the dashboard asks for. Empty: openid. */
      scopes: string;
    };
    /** The settings security.limits.* */
    ConfigurationSecurityLimits: {
      /** security.limits.requestsPerAddress: Request budget of one client address; requests beyond it get 429. 0: no limit. Behind a proxy all clients share the proxy’s address. In requests a second. */
      requestsPerAddress: number;
      /** security.limits.requestsPerToken: Request budget of one token; requests beyond it get 429. 0: no limit. In requests a second. */
      requestsPerToken: number;
      /** security.limits.connections: Limit of open connections. A request on a connection beyond it gets 503, and the connection is closed. 0: no limit. In connections. */
      connections: number;
    };
    /** The settings security.webhooks.* */
    ConfigurationSecurityWebhooks: {
      /** security.webhooks.giveUpAfter: An event that a webhook could not deliver for this long is set aside; Replay in the list of webhooks, or POST …/replay, delivers it. */
      giveUpAfter: components['schemas']['Duration'];
      /** security.webhooks.privateTargets: Whether webhooks may call addresses that are not reachable from everywhere: this machine, private networks, metadata services. */
      privateTargets: boolean;
    };
    /** New values by dotted path, each as a text */
    ConfigurationTexts: {
      /** Where the server listens, scheme://host:port. The new address is bound before the answer; then the old one stops accepting connections. */
      addr?: string;
      /** Server log; the access log is the file <name>-access.log beside it. The URL paths /<name>.log and /<name>-access.log follow the name. It must be in the log folder or below a folder listed in CAIRN_LOG_ROOTS when the server starts; symbolic links are resolved first. */
      'log.file'?: string;
      /** The least severe level that is logged. */
      'log.level'?: string;
      /** A log file is rotated before it exceeds this size. */
      'log.maxSizeMB'?: string;
      /** Number of rotated files to keep beside the current one. */
      'log.maxBackups'?: string;
      /** Certificate (PEM, leaf first). Changes to the file take effect within 15 s. */
      'security.certFile'?: string;
      /** Private key (PEM) of the certificate. */
      'security.keyFile'?: string;
      /** Certificates (PEM) of the authority that signs worker certificates. When set, worker calls need a certificate signed by it. Changes to the file take effect within 15 s. Empty: no client certificate is requested. */
      'security.clientCAFile'?: string;
      /** User pool, <region>_<id>. */
      'security.idp.userPoolID'?: string;
      /** Identity pool, <region>:<uuid>. */
      'security.idp.identityPoolID'?: string;
      /** App client of the pool (type: single-page application). */
      'security.idp.clientID'?: string;
      /** Users in one of these groups are administrators. */
      'security.idp.adminGroups'?: string;
      /** Roles by group: viewer, operator or admin; viewer@<queue> and operator@<queue>\|<queue> are bound to queues. In names, write `:` `,` `@` `%` and `\|` as %3A %2C %40 %25 and %7C. Empty: every signed-in user is a viewer. Administrator groups stay administrators. */
      'security.roles'?: string;
      /** Origins whose pages may call the API from a browser (CORS); none by default. */
      'security.corsOrigins'?: string;
      /** Request budget of one client address; requests beyond it get 429. 0: no limit. Behind a proxy all clients share the proxy’s address. */
      'security.limits.requestsPerAddress'?: string;
      /** Request budget of one token; requests beyond it get 429. 0: no limit. */
      'security.limits.requestsPerToken'?: string;
      /** Limit of open connections. A request on a connection beyond it gets 503, and the connection is closed. 0: no limit. */
      'security.limits.connections'?: string;
      /** An event that a webhook could not deliver for this long is set aside; Replay in the list of webhooks, or POST …/replay, delivers it. */
      'security.webhooks.giveUpAfter'?: string;
      /** Whether webhooks may call addresses that are not reachable from everywhere: this machine, private networks, metadata services. */
      'security.webhooks.privateTargets'?: string;
      /** With iterative, jobs are saved at every interval, including those that already run. With none, or while this is not set, a job whose node goes loses all of its work. */
      'ckpt.ckptMode'?: string;
      /** Folder on the workers that stores checkpoint images. */
      'ckpt.ckptImagePath'?: string;
      /** Interval between checkpoints. A job whose node goes loses at most this much work, plus the time of one checkpoint. A value below 2m is accepted with a warning: the pauses may cost more than they save. */
      'ckpt.ckptInterval'?: string;
      /** Additional files to copy with each checkpoint. */
      'ckpt.ckptFiles'?: string;
      /** Paths to scan for the inode reverse map. */
      'ckpt.IRMapScanPaths'?: string;
      /** Take a checkpoint when the job receives SIGTERM, as happens before a spot reclaim. */
      'ckpt.ckptOnSigTerm'?: string;
      /** Workers keep the working files of failed checkpoints for diagnosis. */
      'ckpt.diagnosisMode'?: string;
      /** Include the changes of the root filesystem in the checkpoint. */
      'ckpt.rootFSDiff'?: string;
      /** Workers watch for interruption notices from the cloud. */
      'ckpt.cloudMonitorMode'?: string;
      /** Close all of the job’s TCP connections when checkpointing. */
      'ckpt.tcpClose'?: string;
      /** How often a worker node reports. A shorter interval shows its state sooner and costs more requests. */
      'node.heartbeat'?: string;
      /** A node is marked lost after this long without a heartbeat, never earlier. Must be at least twice node.heartbeat. */
      'node.ttl'?: string;
      /** Maximum size of one stored node log file; the oldest whole lines are removed first. */
      'node.maxPerLogSizeMB'?: string;
      /** Maximum total size of the stored log files of one node. */
      'node.maxNodeLogTotalMB'?: string;
      /** How often a sweep applies these limits and removes the logs of nodes that are no longer kept. */
      'node.cleanLogInterval'?: string;
      /** Create a new block volume for each job. */
      'job.volPerJob'?: string;
      /** Tags for the resources that are created for a job. */
      'job.customTags'?: string;
      /** Where a job finds its volume. */
      'job.volMountPath'?: string;
      /** Type of each new volume: gp and io are SSDs, st and sc are hard disks, which cost less. */
      'job.diskType'?: string;
      /** Size of each new volume. Unused space costs the same. */
      'job.diskSizeGB'?: string;
      /** Throughput of each new volume. The cloud charges for more than its base. */
      'job.diskThroughputMB'?: string;
      /** How often workers clean up the storage of ended jobs. */
      'job.storCleanIntvl'?: string;
      /** How ended jobs are removed: after a time. */
      'job.retentionPolicy'?: string;
      /** How often retention is checked. */
      'job.retentionInterval'?: string;
      /** How long a succeeded job is kept after its last event. */
      'job.successTTL'?: string;
      /** How long a failed or stopped job is kept after its last event. */
      'job.failureTTL'?: string;
      [key: string]: unknown;
    };
    /** A new service token; it is shown only this once */
    CreatedServiceToken: {
      /** The token; it is shown only this once */
      token: string;
      id: string;
      expiresAt: string;
    };
    /** Comma-separated values (RFC 4180) with a head line */
    CsvText: string;
    /** The definition as it is stored */
    DefinedMetric: {
      id: string;
      name: string;
      description: string;
      unit: string;
      labels: (string)[];
      aggregation: 'sum' | 'avg' | 'min' | 'max' | 'last';
      warnings?: (string)[];
    };
    /** What a check of the server saw */
    DoctorCheck: {
      /** What kind of finding it looks for */
      id: 'disk' | 'map' | 'free-pages' | 'readers' | 'flush' | 'loop-lag' | 'clock' | 'descriptors' | 'certificate-expiry' | 'certificate-name' | 'permissions' | 'journal' | 'replica-lag' | 'backup-age' | 'agent-version' | 'token-key' | 'records';
      /** What it saw, in a few words for people */
      value: string;
    };
    /** What is wrong with the server, and what to do */
    DoctorFinding: {
      /** What kind of finding it is */
      id: 'disk' | 'map' | 'free-pages' | 'readers' | 'flush' | 'loop-lag' | 'clock' | 'descriptors' | 'certificate-expiry' | 'certificate-name' | 'permissions' | 'journal' | 'replica-lag' | 'backup-age' | 'agent-version' | 'token-key' | 'records';
      severity: 'warning' | 'critical';
      /** What was found, with its figures */
      what: string;
      /** What to do about it */
      remedy: string;
    };
    /** The findings, and what the checks saw */
    DoctorReport: {
      /** None on a healthy server */
      findings: (components['schemas']['DoctorFinding'])[];
      /** Of each check for which something was measured, whether or not it has a finding */
      checks: (components['schemas']['DoctorCheck'])[];
    };
    /** Whether the node is drained */
    DrainReply: {
      id: components['schemas']['Id'];
      drained: boolean;
    };
    /** A duration as Go writes it, such as 30s, 5m0s or 1h30m0s */
    Duration: string;
    /** Number of a claim; a later claim of the same job has a higher one */
    Epoch: number;
    /** Why a call failed */
    Error: {
      /** Equals the HTTP status */
      statusCode: number;
      /** What failed; the list of errors says when each is answered */
      errorCode: 1001 | 1002 | 1003 | 1004 | 1005 | 1006 | 1007 | 1008 | 1009 | 1010 | 1011 | 2001 | 2002 | 2003 | 2004 | 2005 | 2006 | 3001 | 3002 | 3003 | 9001 | 9002;
      /** Begins with the text of the error code; a colon and a detail may follow */
      message: string;
      /** What is wrong with each value, or what is needed */
      fields?: {
        [key: string]: unknown;
      };
    };
    /** Server-sent events; data is one JSON object with time and what the name of the event says */
    EventStream: string;
    /** An event, a setting or a fact that a finding rests on */
    Evidence: {
      /** When it was so; null for a setting or a fact without a time */
      time: components['schemas']['Timestamp'] | null;
      text: string;
    };
    /** Whether the server does its work, with reasons for caution */
    Health: {
      status: string;
      reasons: (string)[];
      /** Of a server of a cluster */
      role?: 'leader' | 'follower' | 'catching-up';
      /** URL of the server that leads; null where none does */
      leader?: string | null;
      /** Milliseconds by which this server is behind the leader */
      behindMs?: number;
    };
    /** A heartbeat of one node */
    Heartbeat: {
      time?: components['schemas']['Timestamp'] | null;
      metrics?: components['schemas']['HeartbeatMetrics'] | null;
      /** Ids of the orders that the node has taken */
      done?: (components['schemas']['Id'])[] | null;
    };
    /** Heartbeats of many nodes, at most 10,000 */
    HeartbeatBatch: (components['schemas']['BatchedHeartbeat'])[];
    /** How many heartbeats were accepted, and when to send the next */
    HeartbeatBatchReply: {
      /** Milliseconds until the next heartbeat is expected */
      nextBeatMs: number;
      configVersion: number;
      /** What the node is to do, until a heartbeat names it in `done` */
      orders?: (components['schemas']['Order'])[];
      warnings?: (string)[];
      accepted: number;
      /** Ids that are not registered, or are deregistered */
      unknown: (components['schemas']['Id'])[];
    };
    /** Heartbeats of many nodes, with or without a number that the reply repeats */
    HeartbeatFrame: components['schemas']['HeartbeatBatch'] | components['schemas']['NumberedHeartbeats'];
    /** Why a frame was refused */
    HeartbeatFrameError: {
      /** Equals the HTTP status */
      statusCode: number;
      /** What failed; the list of errors says when each is answered */
      errorCode: 1001 | 1002 | 1003 | 1004 | 1005 | 1006 | 1007 | 1008 | 1009 | 1010 | 1011 | 2001 | 2002 | 2003 | 2004 | 2005 | 2006 | 3001 | 3002 | 3003 | 9001 | 9002;
      /** Begins with the text of the error code; a colon and a detail may follow */
      message: string;
      /** What is wrong with each value, or what is needed */
      fields?: {
        [key: string]: unknown;
      };
      /** Repeated in the reply */
      seq?: number | string;
    };
    /** The reply to a frame; frames are answered when they are durable, so replies may overtake each other */
    HeartbeatFrameReply: {
      /** Milliseconds until the next heartbeat is expected */
      nextBeatMs: number;
      configVersion: number;
      /** What the node is to do, until a heartbeat names it in `done` */
      orders?: (components['schemas']['Order'])[];
      warnings?: (string)[];
      accepted: number;
      /** Ids that are not registered, or are deregistered */
      unknown: (components['schemas']['Id'])[];
      /** Repeated in the reply */
      seq?: number | string;
    };
    /** Metrics of a node by name, at most 64 */
    HeartbeatMetrics: {
      [key: string]: number;
    };
    /** When to send the next heartbeat */
    HeartbeatReply: {
      /** Milliseconds until the next heartbeat is expected */
      nextBeatMs: number;
      configVersion: number;
      /** What the node is to do, until a heartbeat names it in `done` */
      orders?: (components['schemas']['Order'])[];
      warnings?: (string)[];
    };
    /** Id of a node, a job or a metric: 1 to 128 characters of A-Z a-z 0-9 . _ : @ -; not . or .. */
    Id: string;
    /** The object that the call was about */
    IdReply: {
      id: components['schemas']['Id'];
      [key: string]: unknown;
    };
    /** An identity provider: a Cognito user pool, or any OpenID Connect provider by its issuer */
    IdentityProvider: components['schemas']['UserPoolProvider'] | components['schemas']['OpenIdProvider'];
    /** The settings of the identity provider, without credentials */
    IdentityProviderSettings: {
      enabled: boolean;
      region: string;
      userPoolID: string;
      clientID: string;
      identityPoolID: string;
      adminGroups: string;
      /** Only with an OpenID Connect provider */
      issuer?: string;
      audience?: string;
      groupsClaim?: string;
      scopes?: string;
    };
    /** The cloud instance of a worker node */
    Instance: {
      zone: string;
      instanceId: string;
      instanceType: string;
      region: string;
      createTime?: components['schemas']['Timestamp'];
      payType: string;
      pricePerHour?: number;
      onDemandPricePerHour?: number;
    };
    /** The cloud instance of a worker node, as its agent reports it */
    InstanceReport: {
      zone?: string | null;
      instanceId?: string | null;
      instanceType?: string | null;
      region?: string | null;
      createTime?: components['schemas']['Timestamp'] | null;
      payType?: string | null;
      /** Price of this instance, USD per hour */
      pricePerHour?: number | null;
      /** On-demand price of this instance, USD per hour */
      onDemandPricePerHour?: number | null;
    };
    /** A notice of the cloud that it will reclaim the machine */
    Interruption: {
      /** What the cloud will do: stop, terminate, hibernate, preempt, … */
      action: string;
      /** When the cloud will do it */
      time: components['schemas']['Timestamp'];
    };
    /** A notice of the cloud that it will reclaim the machine, and when it came */
    InterruptionNotice: {
      /** What the cloud will do: stop, terminate, hibernate, preempt, … */
      action: string;
      /** When the cloud will do it */
      time: components['schemas']['Timestamp'];
      /** When the server received the first notice */
      receivedAt?: components['schemas']['Timestamp'];
    };
    /** The stored notice */
    InterruptionReply: {
      id: components['schemas']['Id'];
      interruption: components['schemas']['Interruption'];
    };
    /** A job with its events */
    Job: {
      id: components['schemas']['Id'];
      queueName: components['schemas']['QueueName'];
      name?: string;
      cpus?: number;
      memoryInMB?: number;
      maxRootFSUsageMB?: number;
      createdAt: components['schemas']['Timestamp'];
      updatedAt: components['schemas']['Timestamp'];
      status: string;
      nodeOid: string;
      containerId: string;
      spotProtCount: number;
      batchJobIds: (string)[];
      volumeIds: (string)[];
      events: (components['schemas']['JobEvent'])[];
    };
    /** The number of jobs, in all and by name */
    JobCount: {
      total: number;
      /** Jobs by name; names without a job are left out */
      counts: {
        [key: string]: number;
      };
    };
    /** A job with its events and the values derived from them */
    JobDetail: {
      id: components['schemas']['Id'];
      queueName: components['schemas']['QueueName'];
      name?: string;
      cpus?: number;
      memoryInMB?: number;
      maxRootFSUsageMB?: number;
      createdAt: components['schemas']['Timestamp'];
      updatedAt: components['schemas']['Timestamp'];
      status: string;
      nodeOid: string;
      containerId: string;
      spotProtCount: number;
      batchJobIds: (string)[];
      volumeIds: (string)[];
      events: (components['schemas']['JobEvent'])[];
      checkpoints: components['schemas']['AttemptTally'];
      restores: components['schemas']['AttemptTally'];
      /** Run seconds since the last good checkpoint; null unless the job is running */
      workAtRisk: number | null;
      /** Run seconds that the loss of its node would cost now: since the last good checkpoint or the last restore, whichever is later; null unless the job is running */
      unsavedSeconds: number | null;
      /** What a person filters by; stranded while the node of an unfinished job is gone */
      phase: 'starting' | 'running' | 'restoring' | 'stranded' | 'succeeded' | 'failed' | 'stopped';
      /** Number of checkpoint pairs that were removed from events */
      foldedCheckpoints?: number;
    };
    /** An event in the life of a job; it has only the fields that were sent */
    JobEvent: {
      timestamp: components['schemas']['Timestamp'];
      eventType: string;
      nodeOid?: string;
      containerId?: string;
      batchJobId?: string;
      volumnId?: string;
      detail?: string;
      stdoutBytes?: number;
      stderrBytes?: number;
    };
    /** An event in the life of a job, as a worker reports it */
    JobEventReport: {
      timestamp: components['schemas']['Timestamp'];
      eventType: string;
      nodeOid?: string | null;
      containerId?: string | null;
      batchJobId?: string | null;
      /** This spelling is part of the interface */
      volumnId?: string | null;
      /** Human-readable reason for the event */
      detail?: string | null;
      /** On Job-Restoring: length of the joined standard output from which this copy continues */
      stdoutBytes?: number | null;
      /** On Job-Restoring: length of the joined standard error from which this copy continues */
      stderrBytes?: number | null;
    };
    /** One event, or an array */
    JobEventReports: components['schemas']['JobEventReport'] | (components['schemas']['JobEventReport'])[];
    /** A sentence, and findings from the worst to the mildest */
    JobExplanation: {
      summary: string;
      findings: (components['schemas']['JobFinding'])[];
    };
    /** How it is, since when, and what to do */
    JobFinding: {
      code: 'running-normally' | 'starting-long' | 'volume-unready' | 'never-checkpointed' | 'checkpoints-ceased' | 'checkpoints-failing' | 'restoring-long' | 'restores-failing' | 'node-late' | 'node-lost' | 'node-interrupted' | 'cannot-be-saved-in-time' | 'failed' | 'stopped' | 'succeeded';
      severity: 'ok' | 'info' | 'warning' | 'critical';
      /** One or two sentences */
      text: string;
      /** Since when it is so; null if that is not known */
      since: components['schemas']['Timestamp'] | null;
      /** The events, settings and facts it rests on */
      evidence: (components['schemas']['Evidence'])[];
      /** What to do; null if nothing need be done */
      remedy: string | null;
    };
    /** Jobs */
    JobList: (components['schemas']['Job'])[];
    /** What a worker reports of a job; events are merged into those that are stored */
    JobUpdate: {
      id: components['schemas']['Id'];
      queueName: components['schemas']['QueueName'];
      name?: string | null;
      cpus?: number | null;
      memoryInMB?: number | null;
      batchJobIds?: (string)[] | null;
      maxRootFSUsageMB?: number | null;
      events?: (components['schemas']['JobEventReport'])[] | null;
      /** Epoch of the claim under which the copy runs */
      epoch?: components['schemas']['Epoch'] | null;
    };
    /** How many updates were stored, and which were not */
    JobUpdateReply: {
      accepted: number;
      rejected: (components['schemas']['RejectedUpdate'])[];
      warnings?: (string)[];
    };
    /** One job update, or an array of at most 1,000 */
    JobUpdates: components['schemas']['JobUpdate'] | (components['schemas']['JobUpdate'])[];
    /** Which join tokens are no longer valid */
    JoinTokenRevocation: {
      revokedThrough: string;
    };
    /** An interval at which a series is kept, and for how long */
    Level: {
      interval: string;
      retention: string;
    };
    /** Settings of the server log */
    LogConfiguration: {
      /** log.level: The least severe level that is logged. */
      level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal';
      /** log.maxSizeMB: A log file is rotated before it exceeds this size. In MB. */
      maxSizeMB: number;
      /** log.maxBackups: Number of rotated files to keep beside the current one. In files. */
      maxBackups: number;
    };
    /** Changes of the server log’s settings */
    LogConfigurationChanges: {
      /** log.level: The least severe level that is logged. */
      level?: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal';
      /** log.maxSizeMB: A log file is rotated before it exceeds this size. In MB. */
      maxSizeMB?: number;
      /** log.maxBackups: Number of rotated files to keep beside the current one. In files. */
      maxBackups?: number;
    };
    /** Paths of log files */
    LogPathList: (string)[];
    /** A series: a definition and an object */
    Metric: {
      name: string;
      id: string;
      definition: components['schemas']['MetricDefinition'];
      object: components['schemas']['MetricObject'];
      levels: (components['schemas']['Level'])[];
    };
    /** What is measured, in which unit, and how values are combined */
    MetricDefinition: {
      id: string;
      description: string;
      labels: (string)[];
      unit: string;
      aggregation: 'sum' | 'avg' | 'min' | 'max' | 'last';
    };
    /** A custom metric */
    MetricDefinitionRequest: {
      name?: string | null;
      description?: string | null;
      unit?: string | null;
      labels?: (string)[] | null;
      aggregation: 'sum' | 'avg' | 'min' | 'max' | 'last';
    };
    /** Series */
    MetricList: (components['schemas']['Metric'])[];
    /** What a metric is measured of */
    MetricObject: {
      id: string;
      type: string;
      name: string;
    };
    /** JSON, one value on each line */
    NdjsonText: string;
    /** A sentence, and findings from the worst to the mildest */
    NodeExplanation: {
      summary: string;
      findings: (components['schemas']['NodeFinding'])[];
    };
    /** How it is, since when, and what to do */
    NodeFinding: {
      code: 'alive' | 'late' | 'lost' | 'verdict-held' | 'deregistered' | 'drained' | 'interrupted' | 'agent-old' | 'clock-differs' | 'cannot-checkpoint';
      severity: 'ok' | 'info' | 'warning' | 'critical';
      /** One or two sentences */
      text: string;
      /** Since when it is so; null if that is not known */
      since: components['schemas']['Timestamp'] | null;
      /** The events, settings and facts it rests on */
      evidence: (components['schemas']['Evidence'])[];
      /** What to do; null if nothing need be done */
      remedy: string | null;
    };
    /** What happens to tokens signed with earlier keys */
    NodeKeyRequest: {
      /** Whether tokens signed with earlier keys become invalid now; otherwise they stay valid until they expire */
      revokeOld?: boolean | null;
    };
    /** Worker nodes */
    NodeList: (components['schemas']['WorkerNode'])[];
    /** A worker node, as its agent registers it; unknown fields are ignored */
    NodeRegistration: {
      id?: components['schemas']['Id'] | null;
      ips?: (string)[] | null;
      hostName?: string | null;
      cloud?: string | null;
      arch?: string | null;
      cores?: number | null;
      cpuModel?: string | null;
      cpuVendor?: string | null;
      memoryInMB?: number | null;
      instance?: components['schemas']['InstanceReport'] | null;
      agent?: components['schemas']['AgentReport'] | null;
    };
    /** A token of a node, or a join token; it is shown only this once */
    NodeToken: {
      token: string;
      expiresAt: string;
    };
    /** The key that signs node tokens from now on */
    NodeTokenKey: {
      keyId: string;
    };
    /** A token for a node, or, without nodeId, a join token */
    NodeTokenRequest: {
      /** The node that the token is for; absent for a join token */
      nodeId?: components['schemas']['Id'] | null;
      ttl: components['schemas']['TokenLifetime'];
    };
    /** Which tokens are no longer valid */
    NodeTokenRevocation: {
      nodeId: string;
      revokedThrough: string;
    };
    /** Heartbeats of many nodes, with a number that the reply repeats */
    NumberedHeartbeats: {
      /** Repeated in the reply */
      seq?: number | string;
      beats: components['schemas']['HeartbeatBatch'];
    };
    /** What a metric is measured of: system-total, queue-<name>, node-<id>, or a name of the sender */
    ObjectId: string;
    /** This document */
    OpenApiDocument: {
      openapi: string;
      [key: string]: unknown;
    };
    /** An OpenID Connect provider as the identity provider */
    OpenIdProvider: {
      /** The issuer, exactly as its tokens name it: https, or http on loopback */
      issuer: string;
      /** The client of the dashboard: public, with the authorization code flow and PKCE */
      clientID: string;
      /** What aud must contain; without it, aud, azp, client_id or cid is the client */
      audience?: string | null;
      /** The claim with the groups: a name, or else a path such as realm_access.roles; groups by default */
      groupsClaim?: string | null;
      /** Scopes that the dashboard asks for; openid by default */
      scopes?: string | (string)[] | null;
      /** Users in one of these groups are administrators; separated by commas */
      adminGroups: string | (string)[];
      /** An access token of an administrator, to be checked with these settings */
      token?: string | null;
    };
    /** What a node is to do; it is repeated until a heartbeat names its id in `done` */
    Order: {
      id: components['schemas']['Id'];
      type: 'drain' | 'undrain' | 'checkpoint';
      node: components['schemas']['Id'];
      /** The job to checkpoint */
      job?: components['schemas']['Id'];
    };
    /** Jobs by phase; every phase is present */
    PhaseCounts: {
      starting: number;
      running: number;
      restoring: number;
      stranded: number;
      succeeded: number;
      failed: number;
      stopped: number;
    };
    /** The value of one interval; time is the start of the interval */
    Point: {
      time: components['schemas']['Timestamp'];
      value: number;
    };
    /** A queue with its jobs by phase */
    Queue: {
      name: components['schemas']['QueueName'];
      /** Jobs in the queue, ended ones included */
      total: number;
      phases: components['schemas']['PhaseCounts'];
      /** When a job of the queue was last updated */
      updatedAt: components['schemas']['Timestamp'];
    };
    /** The queue that a value is of */
    QueueLabel: {
      queueName: string;
    };
    /** Queues by name */
    QueueList: (components['schemas']['Queue'])[];
    /** Name of a queue: 1 to 128 characters of A-Z a-z 0-9 . _ : @ - / and space; not . or .. */
    QueueName: string;
    /** A spot node that the cloud took back */
    Reclaim: {
      nodeId: components['schemas']['Id'];
      instanceId: string;
      zone: string;
      instanceType: string;
      /** State of the node now */
      state: 'alive' | 'late' | 'lost' | 'deregistered';
      /** Last heartbeat of the node */
      time: components['schemas']['Timestamp'];
      /** The cloud’s notice; null if the node was lost without one */
      notice: components['schemas']['InterruptionNotice'] | null;
      /** Jobs that ran there */
      jobCount: number;
      /** The 100 of these with the most work to repeat */
      jobs: (components['schemas']['ReclaimedJob'])[];
      repeatedSeconds: number;
      cost: number;
    };
    /** Reclaims of spot nodes in a range of time, with what they cost */
    ReclaimList: {
      start: components['schemas']['Timestamp'];
      end: components['schemas']['Timestamp'];
      totals: components['schemas']['ReclaimTotals'];
      /** Newest first, at most as many as the limit */
      reclaims: (components['schemas']['Reclaim'])[];
      /** False if there were too many nodes or jobs to look at all of them */
      isComplete: boolean;
    };
    /** Sums over all reclaims in the range */
    ReclaimTotals: {
      reclaims: number;
      /** Reclaims with a notice */
      noticed: number;
      /** Jobs that were interrupted, each once for each reclaim */
      jobs: number;
      repeatedSeconds: number;
      cost: number;
    };
    /** A job that a reclaim interrupted */
    ReclaimedJob: {
      id: components['schemas']['Id'];
      queueName: components['schemas']['QueueName'];
      /** restored from a checkpoint, restarted from nothing, restoreFailed so far, or the phase of the job now */
      outcome: 'restored' | 'restarted' | 'restoreFailed' | 'starting' | 'running' | 'restoring' | 'stranded' | 'succeeded' | 'failed' | 'stopped';
      /** Node that the job was put on next; null if none */
      nodeOid: string | null;
      /** From its last sign on the node until it ran again; null until then */
      downSeconds: number | null;
      /** Run seconds on the node that no good checkpoint held */
      repeatedSeconds: number;
      /** USD: that time at the price of the node that repeats it, or else of the lost one */
      cost: number;
    };
    /** The node is registered */
    RegistrationReply: {
      /** Milliseconds until the next heartbeat is expected */
      nextBeatMs: number;
      configVersion: number;
      /** What the node is to do, until a heartbeat names it in `done` */
      orders?: (components['schemas']['Order'])[];
      warnings?: (string)[];
      id: components['schemas']['Id'];
      /** The node must accept no new jobs */
      drained?: true;
      /** The node’s own token, if the node presented a join token or renews a token obtained with one */
      token?: string;
    };
    /** A sample that was not stored, and why */
    RejectedSample: {
      /** Place in the request, from 0 */
      index: number;
      objectId: string;
      definitionId: string;
      errorCode: number;
      message: string;
    };
    /** A job update that was not stored, and why */
    RejectedUpdate: {
      id: string;
      errorCode: number;
      message: string;
      fields?: {
        [key: string]: unknown;
      };
    };
    /** One measured value */
    Sample: {
      objectId: components['schemas']['ObjectId'];
      definitionId: components['schemas']['Id'];
      time: components['schemas']['Timestamp'];
      value: number;
    };
    /** Measured values as a table, at most 10,000 places (rows times columns) */
    SampleColumns: {
      /** The object of each row */
      objectIds: (components['schemas']['ObjectId'])[];
      /** The time of all rows */
      time?: components['schemas']['Timestamp'];
      /** Instead of time: the time of each row */
      times?: (components['schemas']['Timestamp'])[];
      /** A column for each metric: its value in each row, or null where it has none */
      values: {
        [key: string]: (number | null)[];
      };
    };
    /** Measured values, at most 10,000 */
    SampleList: (components['schemas']['Sample'])[];
    /** How many samples were stored, and which were not */
    SampleReply: {
      accepted: number;
      rejected: (components['schemas']['RejectedSample'])[];
    };
    /** Measured values: a list, a single one, or columns */
    Samples: components['schemas']['SampleList'] | components['schemas']['Sample'] | components['schemas']['SampleColumns'];
    /** A time series; intervals without samples are omitted */
    Series: {
      id: string;
      points: (components['schemas']['Point'])[];
      metaData: {
        [key: string]: string;
      };
    };
    /** A service token, without the token itself */
    ServiceToken: {
      id: string;
      name: string;
      role: 'viewer' | 'operator' | 'admin';
      queues: (string)[] | null;
      createdAt: string;
      createdBy: string;
      expiresAt: string;
    };
    /** Service tokens, the oldest first */
    ServiceTokenList: (components['schemas']['ServiceToken'])[];
    /** A role for a program, everywhere or for some queues */
    ServiceTokenRequest: {
      /** What the token is for; shown in the access log and the audit log */
      name: string;
      /** What the bearer may do */
      role: 'viewer' | 'operator' | 'admin';
      /** The queues that a viewer or an operator is bound to; absent for all */
      queues?: (components['schemas']['QueueName'])[] | null;
      ttl: components['schemas']['TokenLifetime'];
    };
    /** A POSIX shell script */
    ShellScript: string;
    /** Bytes of the log that are stored */
    StoredSize: {
      size: number;
    };
    /** The webhook as it is stored; with its secret if the server created one */
    StoredWebhook: {
      id: components['schemas']['Id'];
      url: string;
      types: (string)[];
      queue?: components['schemas']['QueueName'];
      job?: components['schemas']['Id'];
      node?: components['schemas']['Id'];
      eventTypes?: (string)[];
      format: 'cairn' | 'slack';
      /** Nothing is delivered until somebody resumes it */
      paused: boolean;
      /** failing: the latest attempt failed, tests included */
      state: 'ok' | 'failing' | 'paused';
      /** Events that are not delivered yet */
      waiting: number;
      /** Events that were given up; POST …/replay delivers them */
      setAside: number;
      /** Events that can no longer be delivered: they were removed before they could be sent */
      lost: number;
      /** When a failed delivery is attempted again */
      nextAttempt: components['schemas']['Timestamp'] | null;
      /** The latest attempt at this URL, tests included; null before the first since the server’s start */
      lastDelivery: components['schemas']['WebhookDelivery'] | null;
      /** The secret that the server created; it is shown only this once */
      secret?: string;
    };
    /** Sums by metric, one item for each queue */
    Summary: {
      items: {
        [key: string]: (components['schemas']['SummaryItem'])[];
      };
    };
    /** The sum of one metric in one queue */
    SummaryItem: {
      id: string;
      point: components['schemas']['Point'];
      metaData: components['schemas']['QueueLabel'];
    };
    /** Lines of text in UTF-8 */
    TextFile: string;
    /** A time, RFC 3339 in UTC, with 0 to 9 fraction digits */
    Timestamp: string;
    /** How long a token is valid: a duration, or integer nanoseconds */
    TokenLifetime: string | number;
    /** A Cognito user pool as the identity provider */
    UserPoolProvider: {
      region: string;
      userPoolID: string;
      clientID: string;
      identityPoolID: string;
      adminGroups: string;
      accessKey?: string | null;
      secretKey?: string | null;
      token?: string | null;
    };
    /** A webhook and how its deliveries go */
    Webhook: {
      id: components['schemas']['Id'];
      url: string;
      types: (string)[];
      queue?: components['schemas']['QueueName'];
      job?: components['schemas']['Id'];
      node?: components['schemas']['Id'];
      eventTypes?: (string)[];
      format: 'cairn' | 'slack';
      /** Nothing is delivered until somebody resumes it */
      paused: boolean;
      /** failing: the latest attempt failed, tests included */
      state: 'ok' | 'failing' | 'paused';
      /** Events that are not delivered yet */
      waiting: number;
      /** Events that were given up; POST …/replay delivers them */
      setAside: number;
      /** Events that can no longer be delivered: they were removed before they could be sent */
      lost: number;
      /** When a failed delivery is attempted again */
      nextAttempt: components['schemas']['Timestamp'] | null;
      /** The latest attempt at this URL, tests included; null before the first since the server’s start */
      lastDelivery: components['schemas']['WebhookDelivery'] | null;
    };
    /** One attempt to deliver an event */
    WebhookDelivery: {
      /** The event’s id, as the receiver sees it in webhook-id */
      id: string;
      type: string;
      /** When the attempt began */
      time: components['schemas']['Timestamp'];
      /** Id of the job that the event tells of; null for other events */
      job: string | null;
      /** Node that the event tells of, as the event names it; null for other events */
      node: string | null;
      /** What happened to the job, such as Job-Failed; null for other events */
      eventType: string | null;
      attempt: number;
      /** HTTP status; null if there was no answer */
      status: number | null;
      ms: number;
      /** Why it failed; null if it was delivered */
      error: string | null;
    };
    /** A webhook with its last deliveries, newest first */
    WebhookDetail: {
      id: components['schemas']['Id'];
      url: string;
      types: (string)[];
      queue?: components['schemas']['QueueName'];
      job?: components['schemas']['Id'];
      node?: components['schemas']['Id'];
      eventTypes?: (string)[];
      format: 'cairn' | 'slack';
      /** Nothing is delivered until somebody resumes it */
      paused: boolean;
      /** failing: the latest attempt failed, tests included */
      state: 'ok' | 'failing' | 'paused';
      /** Events that are not delivered yet */
      waiting: number;
      /** Events that were given up; POST …/replay delivers them */
      setAside: number;
      /** Events that can no longer be delivered: they were removed before they could be sent */
      lost: number;
      /** When a failed delivery is attempted again */
      nextAttempt: components['schemas']['Timestamp'] | null;
      /** The latest attempt at this URL, tests included; null before the first since the server’s start */
      lastDelivery: components['schemas']['WebhookDelivery'] | null;
      deliveries: (components['schemas']['WebhookDelivery'])[];
    };
    /** Webhooks by id */
    WebhookList: (components['schemas']['Webhook'])[];
    /** Where events are sent, which ones, and in which form */
    WebhookRequest: {
      url: string;
      types: ('node.registered' | 'node.late' | 'node.lost' | 'node.alive' | 'node.deregistered' | 'node.drained' | 'node.interruption' | 'job.event' | 'job.removed' | 'config.changed')[];
      /** Only events of this queue */
      queue?: components['schemas']['QueueName'] | null;
      /** Only events of this job */
      job?: components['schemas']['Id'] | null;
      /** Only events of this node */
      node?: components['schemas']['Id'] | null;
      /** Of job events only these, such as Job-Failed; all of them without it */
      eventTypes?: (string)[] | null;
      /** slack sends {"text": …} instead of the event */
      format: 'cairn' | 'slack';
      /** Signs the deliveries; without it the server creates one, or keeps the one that it has */
      secret?: string | null;
      /** true: events wait and nothing is delivered; false: deliveries go on; without it, what is set stays */
      paused?: boolean | null;
    };
    /** How a test delivery went */
    WebhookTest: {
      delivered: boolean;
      status: number | null;
      ms: number;
      error: string | null;
    };
    /** A worker node */
    WorkerNode: {
      id: components['schemas']['Id'];
      ips: (string)[];
      hostName: string;
      cloud: string;
      arch: string;
      cores: number;
      cpuModel: string;
      cpuVendor: string;
      memoryInMB: number;
      instance: components['schemas']['Instance'];
      /** What the agent said of itself when it registered */
      agent?: components['schemas']['Agent'];
      lastHeartbeat: components['schemas']['Timestamp'];
      state: 'alive' | 'late' | 'lost' | 'deregistered';
      /** The node must accept no new jobs */
      drained?: true;
      /** The cloud’s notice that it will reclaim the machine */
      interruption?: components['schemas']['Interruption'];
      /** When the server declared the node lost, or the node deregistered */
      endedAt?: components['schemas']['Timestamp'];
    };
  };
}

interface Failure {
  headers: { [name: string]: unknown };
  content: {
    'application/json': components['schemas']['Error'];
  };
}

export interface operations {
  getIdp: {
    parameters: {
      query?: {
        /** true: the answer of any server of a cluster holds everything that was acknowledged before the question */
        consistent?: boolean;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** The settings, without credentials */
      200: {
        headers: { [name: string]: unknown };
        content: {
          'application/json': components['schemas']['IdentityProviderSettings'];
        };
      };
      400: Failure;
      429: Failure;
      500: Failure;
      503: Failure;
    };
  };
  enableIdp: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['IdentityProvider'];
        'application/msgpack': components['schemas']['IdentityProvider'];
      };
    };
    responses: {
      /** The fields of the request */
      200: {
        headers: { [name: string]: unknown };
        content: {
          'application/json': components['schemas']['IdentityProvider'];
        };
      };
      400: Failure;
      401: Failure;
      403: Failure;
      413: Failure;
      415: Failure;
      422: Failure;
      429: Failure;
      500: Failure;
      503: Failure;
    };
  };
  disableIdp: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** The whole configuration */
      200: {
        headers: { [name: string]: unknown };
        content: {
          'application/json': components['schemas']['Configuration'];
        };
      };
      400: Failure;
      401: Failure;
      403: Failure;
      429: Failure;
      500: Failure;
      503: Failure;
    };
  };
  makeNodeToken: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['NodeTokenRequest'];
        'application/msgpack': components['schemas']['NodeTokenRequest'];
      };
    };
    responses: {
      /** The token; it is shown only this once */
      200: {
        headers: { [name: string]: unknown };
        content: {
          'application/json': components['schemas']['NodeToken'];
        };
      };
      400: Failure;
      401: Failure;
      403: Failure;
      413: Failure;
      415: Failure;
      422: Failure;
      429: Failure;
      500: Failure;
      503: Failure;
    };
  };
  revokeJoinTokens: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** Join tokens created up to this time are invalid */
      200: {
        headers: { [name: string]: unknown };
        content: {
          'application/json': components['schemas']['JoinTokenRevocation'];
        };
      };
      400: Failure;
      401: Failure;
      403: Failure;
      429: Failure;
      500: Failure;
      503: Failure;
      507: Failure;
    };
  };
  revokeNodeToken: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** Id of the node */
        id: components['schemas']['Id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** Tokens issued up to this time are invalid */
      200: {
        headers: { [name: string]: unknown };
        content: {
          'application/json': components['schemas']['NodeTokenRevocation'];
        };
      };
      400: Failure;
      401: Failure;
      403: Failure;
      422: Failure;
      429: Failure;
      500: Failure;
      503: Failure;
      507: Failure;
    };
  };
  rotateNodeKey: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': components['schemas']['NodeKeyRequest'];
        'application/msgpack': components['schemas']['NodeKeyRequest'];
      };
    };
    responses: {
      /** The new key */
      200: {
        headers: { [name: string]: unknown };
        content: {
          'application/json': components['schemas']['NodeTokenKey'];
        };
      };
      400: Failure;
      401: Failure;
      403: Failure;
      413: Failure;
      415: Failure;
      422: Failure;
      429: Failure;
      500: Failure;
      503: Failure;
      507: Failure;
    };
  };
  listServiceTokens: {
    parameters: {
      query?: {
        /** true: the answer of any server of a cluster holds everything that was acknowledged before the question */
        consistent?: boolean;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** Service tokens, the oldest first */
      200: {
        headers: { [name: string]: unknown };
        content: {
          'application/json': components['schemas']['ServiceTokenList'];
        };
      };
      400: Failure;
      401: Failure;
      403: Failure;
      429: Failure;
      500: Failure;
      503: Failure;
    };
  };
  makeServiceToken: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ServiceTokenRequest'];
        'application/msgpack': components['schemas']['ServiceTokenRequest'];
      };
    };
    responses: {
      /** The token; it is shown only this once */
      200: {
        headers: { [name: string]: unknown };
        content: {
          'application/json': components['schemas']['CreatedServiceToken'];
        };
      };
      400: Failure;
      401: Failure;
      403: Failure;
      413: Failure;
      415: Failure;
      422: Failure;
      429: Failure;
      500: Failure;
      503: Failure;
      507: Failure;
    };
  };
  revokeServiceToken: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** Id of the service token */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** The token is revoked */
      200: {
        headers: { [name: string]: unknown };
        content: {
          'application/json': components['schemas']['IdReply'];
        };
      };
      400: Failure;
      401: Failure;
      403: Failure;
      404: Failure;
      429: Failure;
      500: Failure;
      503: Failure;
      507: Failure;
    };
  };
  getMe: {
    parameters: {
      query?: {
        /** true: the answer of any server of a cluster holds everything that was acknowledged before the question */
        consistent?: boolean;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** Name and roles */
      200: {
        headers: { [name: string]: unknown };
        content: {
          'application/json': components['schemas']['Caller'];
        };
      };
      400: Failure;
      401: Failure;
      403: Failure;
      429: Failure;
      500: Failure;
      503: Failure;
    };
  };
  getAudit: {
    parameters: {
      query?: {
        /** Number of records, 1 to 1000; defaults to 100 */
        limit?: number;
        /** Only records with a smaller number */
        before?: number;
        /** true: the answer of any server of a cluster holds everything that was acknowledged before the question */
        consistent?: boolean;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** Records, each with the hash of the previous record */
      200: {
        headers: { [name: string]: unknown };
        content: {
          'application/json': components['schemas']['AuditRecordList'];
        };
      };
      400: Failure;
      401: Failure;
      403: Failure;
      422: Failure;
      429: Failure;
      500: Failure;
      503: Failure;
    };
  };
  getConfig: {
    parameters: {
      query?: {
        /** true: the answer of any server of a cluster holds everything that was acknowledged before the question */
        consistent?: boolean;
      };
      header?: {
        /** ETag of the answer that the caller has; 304 if it is still current */
        'If-None-Match'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** The configuration, with an ETag */
      200: {
        headers: { [name: string]: unknown };
        content: {
          'application/json': components['schemas']['Configuration'];
        };
      };
      /** Unchanged since the answer with the tag in If-None-Match */
      304: {
        headers: { [name: string]: unknown };
        content?: never;
      };
      400: Failure;
      401: Failure;
      403: Failure;
      429: Failure;
      500: Failure;
      503: Failure;
    };
  };
  putConfigKv: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ConfigurationChanges'];
        'application/msgpack': components['schemas']['ConfigurationChanges'];
      };
    };
    responses: {
      /** The configuration after the change */
      200: {
        headers: { [name: string]: unknown };
        content: {
          'application/json': components['schemas']['Configuration'];
        };
      };
      400: Failure;
      401: Failure;
      403: Failure;
      409: Failure;
      413: Failure;
      415: Failure;
      422: Failure;
      429: Failure;
      500: Failure;
      503: Failure;
      507: Failure;
    };
  };
  putCkptConfig: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CheckpointChanges'];
        'application/msgpack': components['schemas']['CheckpointChanges'];
      };
    };
    responses: {
      /** The configuration after the change */
      200: {
        headers: { [name: string]: unknown };
        content: {
          'application/json': components['schemas']['Configuration'];
        };
      };
      400: Failure;
      401: Failure;
      403: Failure;
      413: Failure;
      415: Failure;
      422: Failure;
      429: Failure;
      500: Failure;
      503: Failure;
    };
  };
  getConfigHistory: {
    parameters: {
      query?: {
        /** true: the answer of any server of a cluster holds everything that was acknowledged before the question */
        consistent?: boolean;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** Who changed what, and when */
      200: {
        headers: { [name: string]: unknown };
        content: {
          'application/json': components['schemas']['ConfigurationHistory'];
        };
      };
      400: Failure;
      401: Failure;
      403: Failure;
      429: Failure;
      500: Failure;
      503: Failure;
    };
  };
  getSummary: {
    parameters: {
      query?: {
        /** Start of the range, RFC 3339; defaults to the oldest retained data */
        start?: components['schemas']['Timestamp'];
        /** End of the range, exclusive; defaults to the newest retained data */
        end?: components['schemas']['Timestamp'];
        /** Only these keys of items, separated by commas, such as runtime or metricDef-jobCost */
        fields?: string;
        /** json, csv or ndjson, or columns: {queueNames, items: {key: {times, values}}}, a place for each queue, null where it has nothing; defaults to the Accept header, then json */
        format?: 'json' | 'csv' | 'ndjson' | 'columns';
        /** true: the answer of any server of a cluster holds everything that was acknowledged before the question */
        consistent?: boolean;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** One item per queue, in both key families */
      200: {
        headers: { [name: string]: unknown };
        content: {
          'application/json': components['schemas']['Summary'];
        };
      };
      400: Failure;
      401: Failure;
      403: Failure;
      422: Failure;
      429: Failure;
      500: Failure;
      503: Failure;
    };
  };
  listMetrics: {
    parameters: {
      query?: {
        /** Entries per page, 1 to 10,000; the Link header names the next page. Defaults to all entries */
        limit?: number;
        /** Where the page begins, from the Link header of the previous page */
        cursor?: string;
        /** Only series of this object: system-total, queue-<name>, node-<id>, or a custom object */
        object?: string;
        /** Only series of this metric definition, with or without the prefix metricDef- */
        definition?: string;
        /** Only series whose name, id or description contains every word of this text, ignoring case */
        q?: string;
        /** true: the answer of any server of a cluster holds everything that was acknowledged before the question */
        consistent?: boolean;
      };
      header?: {
        /** ETag of the answer that the caller has; 304 if it is still current */
        'If-None-Match'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** Metric definition entries; Link names the next page */
      200: {
        headers: { [name: string]: unknown };
        content: {
          'application/json': components['schemas']['MetricList'];
        };
      };
      /** Unchanged since the answer with the tag in If-None-Match */
      304: {
        headers: { [name: string]: unknown };
        content?: never;
      };
      400: Failure;
      401: Failure;
      403: Failure;
      422: Failure;
      429: Failure;
      500: Failure;
      503: Failure;
    };
  };
  putMetric: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** Id of the metric definition, with or without the prefix metricDef- */
        id: components['schemas']['Id'];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['MetricDefinitionRequest'];
        'application/msgpack': components['schemas']['MetricDefinitionRequest'];
      };
    };
    responses: {
      /** The definition */
      200: {
        headers: { [name: string]: unknown };
        content: {
          'application/json': components['schemas']['DefinedMetric'];
        };
      };
      400: Failure;
      401: Failure;
      403: Failure;
      413: Failure;
      415: Failure;
      422: Failure;
      429: Failure;
      500: Failure;
      503: Failure;
    };
  };
  getSeries: {
    parameters: {
      query?: {
        /** Level, as a duration: 1m, 30m or 24h; defaults to the finest that fits */
        interval?: string;
        /** Start of the range, RFC 3339; defaults to 24 h before the end */
        start?: components['schemas']['Timestamp'];
        /** End of the range, exclusive; defaults to now */
        end?: components['schemas']['Timestamp'];
        /** sum, count, avg, min, max or last; defaults to the definition’s aggregation */
        agg?: 'sum' | 'count' | 'avg' | 'min' | 'max' | 'last';
        /** json, csv or ndjson; defaults to the Accept header, then json */
        format?: 'json' | 'csv' | 'ndjson';
        /** true: the answer of any server of a cluster holds everything that was acknowledged before the question */
        consistent?: boolean;
      };
      header?: never;
      path: {
        /** Id of the object */
        objectId: components['schemas']['ObjectId'];
        /** Id of the metric definition */
        definitionId: components['schemas']['Id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** Points in time order; intervals without samples are omitted */
      200: {
        headers: { [name: string]: unknown };
        content: {
          'application/json': components['schemas']['Series'];
        };
      };
      400: Failure;
      401: Failure;
      403: Failure;
      404: Failure;
      422: Failure;
      429: Failure;
      500: Failure;
      503: Failure;
    };
  };
  postSamples: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['Samples'];
        'application/msgpack': components['schemas']['Samples'];
        'application/x-ndjson': components['schemas']['NdjsonText'];
      };
    };
    responses: {
      /** What was accepted */
      200: {
        headers: { [name: string]: unknown };
        content: {
          'application/json': components['schemas']['SampleReply'];
        };
      };
      400: Failure;
      401: Failure;
      403: Failure;
      413: Failure;
      415: Failure;
      422: Failure;
      429: Failure;
      500: Failure;
      503: Failure;
      507: Failure;
    };
  };
  getLogConfig: {
    parameters: {
      query?: {
        /** true: the answer of any server of a cluster holds everything that was acknowledged before the question */
        consistent?: boolean;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** Level, size and backups */
      200: {
        headers: { [name: string]: unknown };
        content: {
          'application/json': components['schemas']['LogConfiguration'];
        };
      };
      400: Failure;
      401: Failure;
      403: Failure;
      429: Failure;
      500: Failure;
      503: Failure;
    };
  };
  putLogConfig: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['LogConfigurationChanges'];
        'application/msgpack': components['schemas']['LogConfigurationChanges'];
      };
    };
    responses: {
      /** Level, size and backups after the change */
      200: {
        headers: { [name: string]: unknown };
        content: {
          'application/json': components['schemas']['LogConfiguration'];
        };
      };
      400: Failure;
      401: Failure;
      403: Failure;
      413: Failure;
      415: Failure;
      422: Failure;
      429: Failure;
      500: Failure;
      503: Failure;
    };
  };
  getNodeFile: {
    parameters: {
      query?: {
        /** Number of lines to return from the end of the log */
        tail?: number;
        /** Only lines that contain this text */
        q?: string;
        /** Only lines that contain all of these words, in any order and case; name=value finds a field of a JSON line, "two words" stand together, -word leaves lines out */
        words?: string;
        /** true: keep sending what is appended, until the job or node ends or the client disconnects */
        follow?: boolean;
        /** Stop following when this job ends; defaults to when all jobs that run on the node have ended */
        job?: components['schemas']['Id'];
        /** true: the answer of any server of a cluster holds everything that was acknowledged before the question */
        consistent?: boolean;
      };
      header?: {
        /** Only these bytes; answered with 206 */
        Range?: string;
      };
      path: {
        /** Id of the node */
        id: components['schemas']['Id'];
        /** Path of the file on the node, without the leading slash */
        path: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** The log file */
      200: {
        headers: { [name: string]: unknown };
        content: {
          'text/plain; charset=utf-8': components['schemas']['TextFile'];
        };
      };
      /** The bytes that Range asks for */
      206: {
        headers: { [name: string]: unknown };
        content: {
          'text/plain; charset=utf-8': components['schemas']['TextFile'];
        };
      };
      400: Failure;
      401: Failure;
      403: Failure;
      404: Failure;
      416: Failure;
      422: Failure;
      429: Failure;
      500: Failure;
      503: Failure;
    };
  };
  listNodes: {
    parameters: {
      query?: {
        /** Nodes per page, 1 to 10,000; the Link header names the next page. Defaults to all nodes */
        limit?: number;
        /** Where the page begins, from the Link header of the previous page */
        cursor?: string;
        /** One of id, hostName, cloud, arch, cores, memoryInMB, zone, region, instanceType, instanceId, payType, lastHeartbeat, state; a leading - sorts in descending order. Defaults to id; ties are sorted by id */
        sort?: 'id' | 'hostName' | 'cloud' | 'arch' | 'cores' | 'memoryInMB' | 'zone' | 'region' | 'instanceType' | 'instanceId' | 'payType' | 'lastHeartbeat' | 'state' | '-id' | '-hostName' | '-cloud' | '-arch' | '-cores' | '-memoryInMB' | '-zone' | '-region' | '-instanceType' | '-instanceId' | '-payType' | '-lastHeartbeat' | '-state';
        /** Only these fields, separated by commas: some of id, ips, hostName, cloud, arch, cores, cpuModel, cpuVendor, memoryInMB, instance, instance.zone, instance.instanceId, instance.instanceType, instance.region, instance.createTime, instance.payType, instance.pricePerHour, instance.onDemandPricePerHour, lastHeartbeat, state, drained, interruption, endedAt */
        fields?: string;
        /** json, ndjson or csv; overrides the Accept header */
        format?: 'json' | 'ndjson' | 'csv';
        /** alive, late, lost, deregistered, or all; defaults to running nodes (alive and late) */
        state?: 'running' | 'all' | 'alive' | 'late' | 'lost' | 'deregistered';
        /** Only nodes of this cloud */
        cloud?: string;
        /** Only nodes of this zone */
        zone?: string;
        /** Only nodes of this instance type */
        instanceType?: string;
        /** Only nodes of this pay type */
        payType?: string;
        /** Only nodes whose last heartbeat is after this time, exclusive; RFC 3339 */
        heartbeatAfter?: components['schemas']['Timestamp'];
        /** Only nodes whose last heartbeat is before this time, exclusive; RFC 3339 */
        heartbeatBefore?: components['schemas']['Timestamp'];
        /** Only nodes with this text in id, host name, addresses, processor or instance, ignoring case */
        q?: string;
        /** true: the answer of any server of a cluster holds everything that was acknowledged before the question */
        consistent?: boolean;
      };
      header?: {
        /** ETag of the answer that the caller has; 304 if it is still current */
        'If-None-Match'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** Running nodes by id; Link names the next page */
      200: {
        headers: { [name: string]: unknown };
        content: {
          'application/json': components['schemas']['NodeList'];
          'application/x-ndjson': components['schemas']['NdjsonText'];
          'text/csv': components['schemas']['CsvText'];
        };
      };
      /** Unchanged since the answer with the tag in If-None-Match */
      304: {
        headers: { [name: string]: unknown };
        content?: never;
      };
      400: Failure;
      401: Failure;
      403: Failure;
      422: Failure;
      429: Failure;
      500: Failure;
      503: Failure;
    };
  };
  getNode: {
    parameters: {
      query?: {
        /** true: the answer of any server of a cluster holds everything that was acknowledged before the question */
        consistent?: boolean;
      };
      header?: never;
      path: {
        /** Id of the node */
        id: components['schemas']['Id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** The node */
      200: {
        headers: { [name: string]: unknown };
        content: {
          'application/json': components['schemas']['WorkerNode'];
        };
      };
      400: Failure;
      401: Failure;
      403: Failure;
      404: Failure;
      429: Failure;
      500: Failure;
      503: Failure;
    };
  };
  registerNode: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** Id of the node */
        id: components['schemas']['Id'];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['NodeRegistration'];
        'application/msgpack': components['schemas']['NodeRegistration'];
      };
    };
    responses: {
      /** When to send the next heartbeat */
      200: {
        headers: { [name: string]: unknown };
        content: {
          'application/json': components['schemas']['RegistrationReply'];
        };
      };
      400: Failure;
      401: Failure;
      403: Failure;
      409: Failure;
      413: Failure;
      415: Failure;
      422: Failure;
      429: Failure;
      500: Failure;
      503: Failure;
      507: Failure;
    };
  };
  deregisterNode: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** Id of the node */
        id: components['schemas']['Id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** Done */
      200: {
        headers: { [name: string]: unknown };
        content: {
          'application/json': components['schemas']['IdReply'];
        };
      };
      400: Failure;
      401: Failure;
      403: Failure;
      404: Failure;
      429: Failure;
      500: Failure;
      503: Failure;
    };
  };
  explainNode: {
    parameters: {
      query?: {
        /** true: the answer of any server of a cluster holds everything that was acknowledged before the question */
        consistent?: boolean;
      };
      header?: never;
      path: {
        /** Id of the node */
        id: components['schemas']['Id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** A summary, and findings from the worst to the mildest */
      200: {
        headers: { [name: string]: unknown };
        content: {
          'application/json': components['schemas']['NodeExplanation'];
        };
      };
      400: Failure;
      401: Failure;
      403: Failure;
      404: Failure;
      429: Failure;
      500: Failure;
      503: Failure;
    };
  };
  listReclaims: {
    parameters: {
      query?: {
        /** Only nodes whose last heartbeat was at or after this time; defaults to 24 hours before the end */
        start?: components['schemas']['Timestamp'];
        /** Only nodes whose last heartbeat was before this time; defaults to now */
        end?: components['schemas']['Timestamp'];
        /** Only this node, by id or instance id */
        node?: string;
        /** Reclaims listed, 1 to 10,000, the newest first; defaults to 100. The totals are of all */
        limit?: number;
        /** true: the answer of any server of a cluster holds everything that was acknowledged before the question */
        consistent?: boolean;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** Reclaims in the range, newest first, and the totals of all */
      200: {
        headers: { [name: string]: unknown };
        content: {
          'application/json': components['schemas']['ReclaimList'];
        };
      };
      400: Failure;
      401: Failure;
      403: Failure;
      422: Failure;
      429: Failure;
      500: Failure;
      503: Failure;
    };
  };
  postHeartbeat: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** Id of the node */
        id: components['schemas']['Id'];
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': components['schemas']['Heartbeat'];
        'application/msgpack': components['schemas']['Heartbeat'];
      };
    };
    responses: {
      /** When to send the next heartbeat */
      200: {
        headers: { [name: string]: unknown };
        content: {
          'application/json': components['schemas']['HeartbeatReply'];
        };
      };
      400: Failure;
      401: Failure;
      403: Failure;
      404: Failure;
      409: Failure;
      413: Failure;
      415: Failure;
      422: Failure;
      429: Failure;
      500: Failure;
      503: Failure;
    };
  };
  postHeartbeats: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['HeartbeatBatch'];
        'application/msgpack': components['schemas']['HeartbeatBatch'];
        'application/x-ndjson': components['schemas']['NdjsonText'];
      };
    };
    responses: {
      /** What was accepted */
      200: {
        headers: { [name: string]: unknown };
        content: {
          'application/json': components['schemas']['HeartbeatBatchReply'];
        };
      };
      400: Failure;
      401: Failure;
      403: Failure;
      413: Failure;
      415: Failure;
      422: Failure;
      429: Failure;
      500: Failure;
      503: Failure;
    };
  };
  listNodeFiles: {
    parameters: {
      query?: {
        /** true: the answer of any server of a cluster holds everything that was acknowledged before the question */
        consistent?: boolean;
      };
      header?: never;
      path: {
        /** Id of the node */
        id: components['schemas']['Id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** Paths for GET /nodes/{id}/{path} */
      200: {
        headers: { [name: string]: unknown };
        content: {
          'application/json': components['schemas']['LogPathList'];
        };
      };
      400: Failure;
      401: Failure;
      403: Failure;
      404: Failure;
      429: Failure;
      500: Failure;
      503: Failure;
    };
  };
  appendNodeFile: {
    parameters: {
      query: {
        /** Number of bytes of the log sent so far; must equal the stored size */
        offset: number;
        /** true: truncate the stored log to the offset first; only for a job’s output, /…/jobs/{job id}/stdout.log or stderr.log */
        cut?: boolean;
      };
      header?: never;
      path: {
        /** Id of the node */
        id: components['schemas']['Id'];
        /** Path of the file on the node, without the leading slash */
        path: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/octet-stream': components['schemas']['Bytes'];
      };
    };
    responses: {
      /** The stored size */
      200: {
        headers: { [name: string]: unknown };
        content: {
          'application/json': components['schemas']['StoredSize'];
        };
      };
      400: Failure;
      401: Failure;
      403: Failure;
      404: Failure;
      409: Failure;
      413: Failure;
      422: Failure;
      429: Failure;
      500: Failure;
      503: Failure;
      507: Failure;
    };
  };
  listJobs: {
    parameters: {
      query?: {
        /** Jobs per page, 1 to 10,000; the Link header names the next page. Defaults to all jobs */
        limit?: number;
        /** Where the page begins, from the Link header of the previous page */
        cursor?: string;
        /** One of createdAt, updatedAt, id, status, queueName, name, nodeOid; a leading - sorts in descending order. Defaults to createdAt; ties are sorted by createdAt, then id */
        sort?: 'createdAt' | 'updatedAt' | 'id' | 'status' | 'queueName' | 'name' | 'nodeOid' | '-createdAt' | '-updatedAt' | '-id' | '-status' | '-queueName' | '-name' | '-nodeOid';
        /** Only these fields, separated by commas: some of id, queueName, name, cpus, memoryInMB, maxRootFSUsageMB, createdAt, updatedAt, status, nodeOid, containerId, spotProtCount, batchJobIds, volumeIds, events, phase, workAtRisk, unsavedSeconds, lastCheckpointAt, statusSince, lastEventDetail */
        fields?: string;
        /** json, ndjson or csv; overrides the Accept header */
        format?: 'json' | 'ndjson' | 'csv';
        /** Only jobs of this queue */
        queue?: components['schemas']['QueueName'];
        /** Only jobs of this status: one of Unknown, Creating, Created, Running, Checkpointing, CheckpointSucceeded, CheckpointFailed, Restoring, RestoreSucceeded, RestoreFailed, Stopped, Succeeded, Failed, VolumeUnready, RestoreVolumeUnready. May be repeated */
        status?: 'Unknown' | 'Creating' | 'Created' | 'Running' | 'Checkpointing' | 'CheckpointSucceeded' | 'CheckpointFailed' | 'Restoring' | 'RestoreSucceeded' | 'RestoreFailed' | 'Stopped' | 'Succeeded' | 'Failed' | 'VolumeUnready' | 'RestoreVolumeUnready' | ('Unknown' | 'Creating' | 'Created' | 'Running' | 'Checkpointing' | 'CheckpointSucceeded' | 'CheckpointFailed' | 'Restoring' | 'RestoreSucceeded' | 'RestoreFailed' | 'Stopped' | 'Succeeded' | 'Failed' | 'VolumeUnready' | 'RestoreVolumeUnready')[];
        /** Only jobs of this phase: one of starting, running, restoring, stranded, succeeded, failed, stopped. May be repeated */
        phase?: ('starting' | 'running' | 'restoring' | 'stranded' | 'succeeded' | 'failed' | 'stopped')[];
        /** Only jobs with this nodeOid: an instance id, or the id of a node */
        node?: string;
        /** Only jobs created after this time, exclusive; RFC 3339 */
        createdAfter?: components['schemas']['Timestamp'];
        /** Only jobs created before this time, exclusive; RFC 3339 */
        createdBefore?: components['schemas']['Timestamp'];
        /** Only jobs whose last event is after this time, exclusive; RFC 3339 */
        updatedAfter?: components['schemas']['Timestamp'];
        /** Only jobs whose last event is before this time, exclusive; RFC 3339 */
        updatedBefore?: components['schemas']['Timestamp'];
        /** Only jobs with this text in id, name, queue, container, batch job or volume ids, or in the instance id or id of their node, ignoring case */
        q?: string;
        /** true: the answer of any server of a cluster holds everything that was acknowledged before the question */
        consistent?: boolean;
      };
      header?: {
        /** ETag of the answer that the caller has; 304 if it is still current */
        'If-None-Match'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** Jobs by createdAt, then id; Link names the next page */
      200: {
        headers: { [name: string]: unknown };
        content: {
          'application/json': components['schemas']['JobList'];
          'application/x-ndjson': components['schemas']['NdjsonText'];
          'text/csv': components['schemas']['CsvText'];
        };
      };
      /** Unchanged since the answer with the tag in If-None-Match */
      304: {
        headers: { [name: string]: unknown };
        content?: never;
      };
      400: Failure;
      401: Failure;
      403: Failure;
      422: Failure;
      429: Failure;
      500: Failure;
      503: Failure;
    };
  };
  postJobs: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['JobUpdates'];
        'application/msgpack': components['schemas']['JobUpdates'];
      };
    };
    responses: {
      /** What was accepted */
      200: {
        headers: { [name: string]: unknown };
        content: {
          'application/json': components['schemas']['JobUpdateReply'];
        };
      };
      400: Failure;
      401: Failure;
      403: Failure;
      409: Failure;
      413: Failure;
      415: Failure;
      422: Failure;
      429: Failure;
      500: Failure;
      503: Failure;
      507: Failure;
    };
  };
  countJobs: {
    parameters: {
      query?: {
        /** What the jobs are counted by: one of phase, status, queue. Defaults to phase */
        by?: 'phase' | 'status' | 'queue';
        /** Only jobs of this queue */
        queue?: components['schemas']['QueueName'];
        /** Only jobs of this status: one of Unknown, Creating, Created, Running, Checkpointing, CheckpointSucceeded, CheckpointFailed, Restoring, RestoreSucceeded, RestoreFailed, Stopped, Succeeded, Failed, VolumeUnready, RestoreVolumeUnready. May be repeated */
        status?: 'Unknown' | 'Creating' | 'Created' | 'Running' | 'Checkpointing' | 'CheckpointSucceeded' | 'CheckpointFailed' | 'Restoring' | 'RestoreSucceeded' | 'RestoreFailed' | 'Stopped' | 'Succeeded' | 'Failed' | 'VolumeUnready' | 'RestoreVolumeUnready' | ('Unknown' | 'Creating' | 'Created' | 'Running' | 'Checkpointing' | 'CheckpointSucceeded' | 'CheckpointFailed' | 'Restoring' | 'RestoreSucceeded' | 'RestoreFailed' | 'Stopped' | 'Succeeded' | 'Failed' | 'VolumeUnready' | 'RestoreVolumeUnready')[];
        /** Only jobs of this phase: one of starting, running, restoring, stranded, succeeded, failed, stopped. May be repeated */
        phase?: ('starting' | 'running' | 'restoring' | 'stranded' | 'succeeded' | 'failed' | 'stopped')[];
        /** Only jobs with this nodeOid: an instance id, or the id of a node */
        node?: string;
        /** Only jobs created after this time, exclusive; RFC 3339 */
        createdAfter?: components['schemas']['Timestamp'];
        /** Only jobs created before this time, exclusive; RFC 3339 */
        createdBefore?: components['schemas']['Timestamp'];
        /** Only jobs whose last event is after this time, exclusive; RFC 3339 */
        updatedAfter?: components['schemas']['Timestamp'];
        /** Only jobs whose last event is before this time, exclusive; RFC 3339 */
        updatedBefore?: components['schemas']['Timestamp'];
        /** Only jobs with this text in id, name, queue, container, batch job or volume ids, or in the instance id or id of their node, ignoring case */
        q?: string;
        /** true: the answer of any server of a cluster holds everything that was acknowledged before the question */
        consistent?: boolean;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** The number of jobs, in all and by name */
      200: {
        headers: { [name: string]: unknown };
        content: {
          'application/json': components['schemas']['JobCount'];
        };
      };
      400: Failure;
      401: Failure;
      403: Failure;
      422: Failure;
      429: Failure;
      500: Failure;
      503: Failure;
    };
  };
  getJob: {
    parameters: {
      query?: {
        /** true: the answer of any server of a cluster holds everything that was acknowledged before the question */
        consistent?: boolean;
      };
      header?: never;
      path: {
        /** Id of the job */
        id: components['schemas']['Id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** The job */
      200: {
        headers: { [name: string]: unknown };
        content: {
          'application/json': components['schemas']['JobDetail'];
        };
      };
      400: Failure;
      401: Failure;
      403: Failure;
      404: Failure;
      429: Failure;
      500: Failure;
      503: Failure;
    };
  };
  getCheckpointOrder: {
    parameters: {
      query?: {
        /** true: the answer of any server of a cluster holds everything that was acknowledged before the question */
        consistent?: boolean;
      };
      header?: never;
      path: {
        /** Id of the job */
        id: components['schemas']['Id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** The order; what the node did then, events of the job tell */
      200: {
        headers: { [name: string]: unknown };
        content: {
          'application/json': components['schemas']['CheckpointOrderAnswer'];
        };
      };
      400: Failure;
      401: Failure;
      403: Failure;
      404: Failure;
      429: Failure;
      500: Failure;
      503: Failure;
    };
  };
  checkpointJob: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** Id of the job */
        id: components['schemas']['Id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** The order */
      202: {
        headers: { [name: string]: unknown };
        content: {
          'application/json': components['schemas']['Order'];
        };
      };
      400: Failure;
      401: Failure;
      403: Failure;
      404: Failure;
      422: Failure;
      429: Failure;
      500: Failure;
      503: Failure;
      507: Failure;
    };
  };
  explainJob: {
    parameters: {
      query?: {
        /** true: the answer of any server of a cluster holds everything that was acknowledged before the question */
        consistent?: boolean;
      };
      header?: never;
      path: {
        /** Id of the job */
        id: components['schemas']['Id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** A summary, and findings from the worst to the mildest */
      200: {
        headers: { [name: string]: unknown };
        content: {
          'application/json': components['schemas']['JobExplanation'];
        };
      };
      400: Failure;
      401: Failure;
      403: Failure;
      404: Failure;
      429: Failure;
      500: Failure;
      503: Failure;
    };
  };
  getJobBundle: {
    parameters: {
      query?: {
        /** true: the answer of any server of a cluster holds everything that was acknowledged before the question */
        consistent?: boolean;
      };
      header?: never;
      path: {
        /** Id of the job */
        id: components['schemas']['Id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** A compressed tar file */
      200: {
        headers: { [name: string]: unknown };
        content: {
          'application/gzip': components['schemas']['Bytes'];
        };
      };
      400: Failure;
      401: Failure;
      403: Failure;
      404: Failure;
      429: Failure;
      500: Failure;
      503: Failure;
    };
  };
  getJobOutput: {
    parameters: {
      query?: {
        /** last: only what the newest copy wrote; defaults to all copies */
        copy?: 'last';
        /** true: keep sending what the job writes, until it ends or the client disconnects */
        follow?: boolean;
        /** true: the answer of any server of a cluster holds everything that was acknowledged before the question */
        consistent?: boolean;
      };
      header?: never;
      path: {
        /** Id of the job */
        id: components['schemas']['Id'];
        /** Standard output or standard error */
        output: 'stdout' | 'stderr';
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** The output */
      200: {
        headers: { [name: string]: unknown };
        content: {
          'text/plain; charset=utf-8': components['schemas']['TextFile'];
        };
      };
      400: Failure;
      401: Failure;
      403: Failure;
      404: Failure;
      422: Failure;
      429: Failure;
      500: Failure;
      503: Failure;
    };
  };
  postJobEvents: {
    parameters: {
      query?: {
        /** Queue of the job; required if the job is new */
        queueName?: components['schemas']['QueueName'];
        /** Epoch of the claim under which the copy runs */
        epoch?: components['schemas']['Epoch'];
      };
      header?: never;
      path: {
        /** Id of the job */
        id: components['schemas']['Id'];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['JobEventReports'];
        'application/msgpack': components['schemas']['JobEventReports'];
      };
    };
    responses: {
      /** The job */
      200: {
        headers: { [name: string]: unknown };
        content: {
          'application/json': components['schemas']['JobDetail'];
        };
      };
      400: Failure;
      401: Failure;
      403: Failure;
      404: Failure;
      409: Failure;
      413: Failure;
      415: Failure;
      422: Failure;
      429: Failure;
      500: Failure;
      503: Failure;
      507: Failure;
    };
  };
  getEvents: {
    parameters: {
      query?: {
        /** Only events with these names, separated by commas; gap is always sent */
        types?: string;
        /** Only events of jobs of these queues */
        queue?: string;
        /** Only events of these jobs */
        job?: string;
        /** Only events of these nodes, and of jobs on them */
        node?: string;
        /** Only events after the one with this id; 0 for all that are stored; without it and the Last-Event-ID header, only new events */
        lastEventId?: number | string;
        /** false: end after the last event that is stored; defaults to true */
        follow?: boolean;
        /** true: the answer of any server of a cluster holds everything that was acknowledged before the question */
        consistent?: boolean;
      };
      header?: {
        /** Only events after this position; overrides lastEventId */
        'Last-Event-ID'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** Events as they become durable */
      200: {
        headers: { [name: string]: unknown };
        content: {
          'text/event-stream': components['schemas']['EventStream'];
        };
      };
      400: Failure;
      401: Failure;
      403: Failure;
      422: Failure;
      429: Failure;
      500: Failure;
      503: Failure;
    };
  };
  getOpenApi: {
    parameters: {
      query?: {
        /** true: the answer of any server of a cluster holds everything that was acknowledged before the question */
        consistent?: boolean;
      };
      header?: {
        /** ETag of the answer that the caller has; 304 if it is still current */
        'If-None-Match'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** OpenAPI 3.1 */
      200: {
        headers: { [name: string]: unknown };
        content: {
          'application/json': components['schemas']['OpenApiDocument'];
        };
      };
      /** Unchanged since the answer with the tag in If-None-Match */
      304: {
        headers: { [name: string]: unknown };
        content?: never;
      };
      400: Failure;
      401: Failure;
      403: Failure;
      429: Failure;
      500: Failure;
      503: Failure;
    };
  };
  livez: {
    parameters: {
      query?: {
        /** true: the answer of any server of a cluster holds everything that was acknowledged before the question */
        consistent?: boolean;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** It does */
      200: {
        headers: { [name: string]: unknown };
        content: {
          'application/json': components['schemas']['Health'];
        };
      };
      400: Failure;
      429: Failure;
      500: Failure;
      503: Failure;
    };
  };
  readyz: {
    parameters: {
      query?: {
        /** true: the answer of any server of a cluster holds everything that was acknowledged before the question */
        consistent?: boolean;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** Ready, with reasons for caution */
      200: {
        headers: { [name: string]: unknown };
        content: {
          'application/json': components['schemas']['Health'];
        };
      };
      400: Failure;
      429: Failure;
      500: Failure;
      503: Failure;
    };
  };
  getMetricsText: {
    parameters: {
      query?: {
        /** true: the answer of any server of a cluster holds everything that was acknowledged before the question */
        consistent?: boolean;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** Prometheus text format */
      200: {
        headers: { [name: string]: unknown };
        content: {
          'text/plain; charset=utf-8': components['schemas']['TextFile'];
        };
      };
      400: Failure;
      401: Failure;
      403: Failure;
      429: Failure;
      500: Failure;
      503: Failure;
    };
  };
  getDoctor: {
    parameters: {
      query?: {
        /** true: the answer of any server of a cluster holds everything that was acknowledged before the question */
        consistent?: boolean;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** The findings; none on a healthy server */
      200: {
        headers: { [name: string]: unknown };
        content: {
          'application/json': components['schemas']['DoctorReport'];
        };
      };
      400: Failure;
      401: Failure;
      403: Failure;
      429: Failure;
      500: Failure;
      503: Failure;
    };
  };
  getServerLog: {
    parameters: {
      query?: {
        /** Number of lines to return from the end of the log */
        tail?: number;
        /** Only lines that contain this text */
        q?: string;
        /** Only lines that contain all of these words, in any order and case; name=value finds a field of a JSON line, "two words" stand together, -word leaves lines out */
        words?: string;
        /** true: keep sending what is appended, until the job or node ends or the client disconnects */
        follow?: boolean;
        /** Only lines of this level and of worse ones; of the access log, warn: refused or failed, error: failed */
        level?: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal';
        /** true: the answer of any server of a cluster holds everything that was acknowledged before the question */
        consistent?: boolean;
      };
      header?: {
        /** Only these bytes; answered with 206 */
        Range?: string;
      };
      path: {
        /** Name of the configured log file without its ending; -access after it for the access log */
        log_name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** The log file */
      200: {
        headers: { [name: string]: unknown };
        content: {
          'text/plain; charset=utf-8': components['schemas']['TextFile'];
        };
      };
      /** The bytes that Range asks for */
      206: {
        headers: { [name: string]: unknown };
        content: {
          'text/plain; charset=utf-8': components['schemas']['TextFile'];
        };
      };
      400: Failure;
      401: Failure;
      403: Failure;
      404: Failure;
      416: Failure;
      422: Failure;
      429: Failure;
      500: Failure;
      503: Failure;
    };
  };
  listWebhooks: {
    parameters: {
      query?: {
        /** true: the answer of any server of a cluster holds everything that was acknowledged before the question */
        consistent?: boolean;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** Webhooks by id */
      200: {
        headers: { [name: string]: unknown };
        content: {
          'application/json': components['schemas']['WebhookList'];
        };
      };
      400: Failure;
      401: Failure;
      403: Failure;
      429: Failure;
      500: Failure;
      503: Failure;
    };
  };
  getWebhook: {
    parameters: {
      query?: {
        /** true: the answer of any server of a cluster holds everything that was acknowledged before the question */
        consistent?: boolean;
      };
      header?: never;
      path: {
        /** Id of the webhook */
        id: components['schemas']['Id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** The webhook */
      200: {
        headers: { [name: string]: unknown };
        content: {
          'application/json': components['schemas']['WebhookDetail'];
        };
      };
      400: Failure;
      401: Failure;
      403: Failure;
      404: Failure;
      429: Failure;
      500: Failure;
      503: Failure;
    };
  };
  putWebhook: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** Id of the webhook */
        id: components['schemas']['Id'];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['WebhookRequest'];
        'application/msgpack': components['schemas']['WebhookRequest'];
      };
    };
    responses: {
      /** The webhook; with its secret if the server created one */
      200: {
        headers: { [name: string]: unknown };
        content: {
          'application/json': components['schemas']['StoredWebhook'];
        };
      };
      400: Failure;
      401: Failure;
      403: Failure;
      413: Failure;
      415: Failure;
      422: Failure;
      429: Failure;
      500: Failure;
      503: Failure;
      507: Failure;
    };
  };
  removeWebhook: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** Id of the webhook */
        id: components['schemas']['Id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** Done */
      200: {
        headers: { [name: string]: unknown };
        content: {
          'application/json': components['schemas']['IdReply'];
        };
      };
      400: Failure;
      401: Failure;
      403: Failure;
      404: Failure;
      429: Failure;
      500: Failure;
      503: Failure;
      507: Failure;
    };
  };
  testWebhook: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** Id of the webhook */
        id: components['schemas']['Id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** How the delivery went */
      200: {
        headers: { [name: string]: unknown };
        content: {
          'application/json': components['schemas']['WebhookTest'];
        };
      };
      400: Failure;
      401: Failure;
      403: Failure;
      404: Failure;
      429: Failure;
      500: Failure;
      503: Failure;
    };
  };
  replayWebhook: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** Id of the webhook */
        id: components['schemas']['Id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** The webhook */
      200: {
        headers: { [name: string]: unknown };
        content: {
          'application/json': components['schemas']['Webhook'];
        };
      };
      400: Failure;
      401: Failure;
      403: Failure;
      404: Failure;
      429: Failure;
      500: Failure;
      503: Failure;
      507: Failure;
    };
  };
  claimJob: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** Id of the job */
        id: components['schemas']['Id'];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['Claim'];
        'application/msgpack': components['schemas']['Claim'];
      };
    };
    responses: {
      /** The claim’s epoch, higher than that of every earlier claim */
      200: {
        headers: { [name: string]: unknown };
        content: {
          'application/json': components['schemas']['ClaimReply'];
        };
      };
      400: Failure;
      401: Failure;
      403: Failure;
      404: Failure;
      409: Failure;
      413: Failure;
      415: Failure;
      422: Failure;
      429: Failure;
      500: Failure;
      503: Failure;
      507: Failure;
    };
  };
  interruptNode: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** Id of the node */
        id: components['schemas']['Id'];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['Interruption'];
        'application/msgpack': components['schemas']['Interruption'];
      };
    };
    responses: {
      /** The stored notice */
      200: {
        headers: { [name: string]: unknown };
        content: {
          'application/json': components['schemas']['InterruptionReply'];
        };
      };
      400: Failure;
      401: Failure;
      403: Failure;
      404: Failure;
      413: Failure;
      415: Failure;
      422: Failure;
      429: Failure;
      500: Failure;
      503: Failure;
      507: Failure;
    };
  };
  drainNode: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** Id of the node */
        id: components['schemas']['Id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** The node is drained */
      200: {
        headers: { [name: string]: unknown };
        content: {
          'application/json': components['schemas']['DrainReply'];
        };
      };
      400: Failure;
      401: Failure;
      403: Failure;
      404: Failure;
      429: Failure;
      500: Failure;
      503: Failure;
      507: Failure;
    };
  };
  undrainNode: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** Id of the node */
        id: components['schemas']['Id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** The node accepts jobs again */
      200: {
        headers: { [name: string]: unknown };
        content: {
          'application/json': components['schemas']['DrainReply'];
        };
      };
      400: Failure;
      401: Failure;
      403: Failure;
      404: Failure;
      429: Failure;
      500: Failure;
      503: Failure;
      507: Failure;
    };
  };
  listQueues: {
    parameters: {
      query?: {
        /** true: the answer of any server of a cluster holds everything that was acknowledged before the question */
        consistent?: boolean;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** Queues by name */
      200: {
        headers: { [name: string]: unknown };
        content: {
          'application/json': components['schemas']['QueueList'];
        };
      };
      400: Failure;
      401: Failure;
      403: Failure;
      429: Failure;
      500: Failure;
      503: Failure;
    };
  };
  getInstallScript: {
    parameters: {
      query?: {
        /** true: the answer of any server of a cluster holds everything that was acknowledged before the question */
        consistent?: boolean;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** A POSIX shell script */
      200: {
        headers: { [name: string]: unknown };
        content: {
          'text/x-shellscript; charset=utf-8': components['schemas']['ShellScript'];
        };
      };
      400: Failure;
      429: Failure;
      500: Failure;
      503: Failure;
    };
  };
  getAgentPackage: {
    parameters: {
      query?: {
        /** deb, rpm or tar; defaults to deb */
        format?: 'deb' | 'rpm' | 'tar';
        /** amd64 or arm64 (also x86_64 and aarch64); defaults to the server’s own */
        arch?: 'amd64' | 'arm64' | 'x86_64' | 'aarch64';
        /** true: the answer of any server of a cluster holds everything that was acknowledged before the question */
        consistent?: boolean;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** The package of this server’s version */
      200: {
        headers: { [name: string]: unknown };
        content: {
          'application/vnd.debian.binary-package': components['schemas']['Bytes'];
          'application/x-rpm': components['schemas']['Bytes'];
          'application/gzip': components['schemas']['Bytes'];
        };
      };
      400: Failure;
      404: Failure;
      422: Failure;
      429: Failure;
      500: Failure;
      503: Failure;
    };
  };
}
