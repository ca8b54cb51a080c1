{{- define "cairn.labels" -}}
app.kubernetes.io/name: cairn
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | quote }}
{{- end }}

{{- define "cairn.serverSelector" -}}
app.kubernetes.io/name: cairn
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: server
{{- end }}

{{- define "cairn.agentSelector" -}}
app.kubernetes.io/name: cairn
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: agent
{{- end }}

{{- define "cairn.fullname" -}}
{{- printf "%s-cairn" .Release.Name | trunc 50 | trimSuffix "-" }}
{{- end }}

{{- define "cairn.publicNames" -}}
{{- $name := include "cairn.fullname" . -}}
{{- $own := list $name (printf "%s.%s" $name .Release.Namespace) (printf "%s.%s.svc" $name .Release.Namespace) (printf "%s.%s.svc.cluster.local" $name .Release.Namespace) -}}
{{- concat $own .Values.server.publicNames | join "," }}
{{- end }}

{{- define "cairn.engineSelector" -}}
app.kubernetes.io/name: cairn
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: engine
{{- end }}

{{- define "cairn.engineAddresses" -}}
{{- if .Values.cluster.engineAddresses -}}
{{- .Values.cluster.engineAddresses -}}
{{- else -}}
{{- $name := printf "%s-engine" (include "cairn.fullname" .) -}}
{{- $all := list -}}
{{- range $i := until (int .Values.cluster.replicas) -}}
{{- $all = append $all (printf "nats://%s-%d.%s.%s.svc:4222" $name $i $name $.Release.Namespace) -}}
{{- end -}}
{{- join "," $all -}}
{{- end -}}
{{- end }}

{{- define "cairn.engineRoutes" -}}
{{- $name := printf "%s-engine" (include "cairn.fullname" .) -}}
{{- $all := list -}}
{{- range $i := until (int .Values.cluster.replicas) -}}
{{- $all = append $all (printf "nats-route://%s-%d.%s.%s.svc:6222" $name $i $name $.Release.Namespace) -}}
{{- end -}}
{{- join ", " $all -}}
{{- end }}
