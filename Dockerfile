# Cairn in containers. The last target is the server:
#
#   docker build -t cairn .                              listens on 8080, data and logs in two volumes, user 10001
#   docker build -t cairn-agent --target agent .         runs jobs of the host: needs --privileged and --pid host
#
#   docker run --read-only --tmpfs /tmp -p 8080:8080 -v cairn-data:/var/lib/cairn -v cairn-log:/var/log/cairn cairn
#
# BASE is Debian 12 or later with Node 22 in it. AGENT_BASE is Debian 13 or later: its CRIU knows today's kernels.
ARG BASE=node:22-bookworm-slim
ARG AGENT_BASE=node:22-trixie-slim

FROM ${BASE} AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm install --no-save --ignore-scripts --no-audit --no-fund
COPY . .
RUN node tools/bootstrap.mjs build && npm prune --omit=dev --ignore-scripts --no-audit --no-fund

# The agent's C programs, static. Each is known by its source's hash; hold.c is for x86-64 only.
FROM ${AGENT_BASE} AS programs
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends gcc libc6-dev && rm -rf /var/lib/apt/lists/*
WORKDIR /programs
COPY agent/shim/*.c ./
RUN for source in *.c; do \
      hash=$(sha256sum "$source" | cut -c 1-12); \
      cc -static -O2 -s -o "cairn-${source%.c}-$hash" "$source" || [ "$source" != shim.c ]; \
    done

FROM ${AGENT_BASE} AS agent
LABEL org.opencontainers.image.title="cairn-agent" \
      org.opencontainers.image.description="Worker agent of Cairn: runs, checkpoints and restores batch jobs" \
      org.opencontainers.image.licenses="Apache-2.0"
# tini: the agent is the first process of its container, and ended jobs need somebody who takes note of them.
RUN apt-get update -qq \
 && apt-get install -y -qq --no-install-recommends ca-certificates criu iptables podman runc tini \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /opt/cairn
COPY --from=build /build/package.json ./
COPY --from=build /build/node_modules ./node_modules
COPY --from=build /build/bundle ./bundle
COPY --from=programs /programs ./bundle/agent/shim
ENV NODE_ENV=production
VOLUME ["/var/lib/cairn-agent"]
# Answers over its socket, or is none.
HEALTHCHECK --interval=30s --timeout=5s --start-period=15s \
  CMD ["node", "-e", "require('net').connect('/var/lib/cairn-agent/agent.sock').on('connect',()=>process.exit(0)).on('error',()=>process.exit(1))"]
ENTRYPOINT ["tini", "--", "node", "bundle/src/main.js"]
CMD ["agent"]

# The replication engine of several servers, Debian's NATS: packaging/compose/cluster.yaml, and the chart.
FROM debian:trixie-slim AS engine
LABEL org.opencontainers.image.title="cairn-engine" \
      org.opencontainers.image.description="NATS JetStream as Debian has it, for several servers of Cairn" \
      org.opencontainers.image.licenses="Apache-2.0"
RUN apt-get update -qq \
 && apt-get install -y -qq --no-install-recommends nats-server \
 && rm -rf /var/lib/apt/lists/* \
 && groupadd --gid 10002 engine && useradd --uid 10002 --gid 10002 --no-create-home --shell /usr/sbin/nologin engine \
 && mkdir -p /var/lib/nats && chown engine:engine /var/lib/nats
USER 10002
VOLUME ["/var/lib/nats"]
EXPOSE 4222 6222
ENTRYPOINT ["nats-server", "-c", "/etc/nats-server.conf"]

FROM ${BASE} AS server
LABEL org.opencontainers.image.title="cairn" \
      org.opencontainers.image.description="Management server for checkpointed batch jobs on spot worker nodes" \
      org.opencontainers.image.licenses="Apache-2.0"
RUN groupadd --gid 10001 cairn && useradd --uid 10001 --gid 10001 --no-create-home --shell /usr/sbin/nologin cairn \
 && mkdir -p /var/lib/cairn /var/log/cairn && chown cairn:cairn /var/lib/cairn /var/log/cairn
WORKDIR /opt/cairn
COPY --from=build /build/package.json /build/LICENSE ./
COPY --from=build /build/node_modules ./node_modules
COPY --from=build /build/bundle ./bundle
COPY --from=build /build/agent/shim ./agent/shim
COPY --from=build /build/packaging ./packaging
COPY --from=build /build/web/dist ./web/dist
USER 10001:10001
ENV NODE_ENV=production CAIRN_ADDR=https://0.0.0.0:8080
VOLUME ["/var/lib/cairn", "/var/log/cairn"]
EXPOSE 8080
# The address may be changed while it runs, so the check reads the configuration for where to ask.
HEALTHCHECK --interval=15s --timeout=3s --start-period=10s CMD ["node", "bundle/src/main.js", "health"]
ENTRYPOINT ["node", "bundle/src/main.js"]
CMD ["serve"]
