# Cairn in a container: listens on 8080, keeps its data and logs in two volumes, runs as a user of its own.
#
#   docker build -t cairn .
#   docker run -p 8080:8080 -v cairn-data:/var/lib/cairn -v cairn-log:/var/log/cairn cairn
#
# BASE is any Debian 12 or later with Node 20 or 22 in it.
ARG BASE=node:22-bookworm-slim

FROM ${BASE} AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm install --no-save --ignore-scripts --no-audit --no-fund
COPY . .
RUN node tools/bootstrap.mjs build && npm prune --omit=dev --ignore-scripts --no-audit --no-fund

FROM ${BASE}
RUN groupadd --gid 10001 cairn && useradd --uid 10001 --gid 10001 --no-create-home --shell /usr/sbin/nologin cairn \
 && mkdir -p /var/lib/cairn /var/log/cairn && chown cairn:cairn /var/lib/cairn /var/log/cairn
WORKDIR /opt/cairn
COPY --from=build /build/package.json ./
COPY --from=build /build/node_modules ./node_modules
COPY --from=build /build/bundle ./bundle
COPY --from=build /build/agent/shim ./agent/shim
COPY --from=build /build/web/dist ./web/dist
USER 10001:10001
ENV NODE_ENV=production CAIRN_ADDR=https://0.0.0.0:8080
VOLUME ["/var/lib/cairn", "/var/log/cairn"]
EXPOSE 8080
# The address may be changed while it runs, so the check reads the configuration for where to ask.
HEALTHCHECK --interval=15s --timeout=3s --start-period=10s CMD ["node", "bundle/src/main.js", "health"]
ENTRYPOINT ["node", "bundle/src/main.js"]
CMD ["serve"]
