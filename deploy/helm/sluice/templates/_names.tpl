{{- define "sluice.fullname" -}}
{{- if contains "sluice" .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-sluice" .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Name of an object of one component. Takes {root, component}. */}}
{{- define "sluice.name" -}}
{{- include "sluice.fullname" .root }}-{{ .component }}
{{- end -}}

{{- define "sluice.releaseSelector" -}}
app.kubernetes.io/name: sluice
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{/* Takes {root, component}. */}}
{{- define "sluice.selector" -}}
{{ include "sluice.releaseSelector" .root }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{/* Takes {root, component}. */}}
{{- define "sluice.labels" -}}
{{ include "sluice.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/part-of: sluice
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end -}}

{{/* Takes {root, component}. Jobs have a separate account, because they run before the account of the
     release exists. */}}
{{- define "sluice.serviceAccount" -}}
{{- if not .root.Values.serviceAccount.create -}}
{{- .root.Values.serviceAccount.name | default "default" -}}
{{- else if eq .component "jobs" -}}
{{- include "sluice.fullname" .root }}-jobs
{{- else -}}
{{- include "sluice.fullname" .root -}}
{{- end -}}
{{- end -}}

{{- define "sluice.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Name of the topic with a role in files/topics.json. Takes {root, role}. */}}
{{- define "sluice.topic" -}}
{{- $decisions := .root.Values.config.DECISIONS_TOPIC | default "agent-decisions" -}}
{{- $evaluations := .root.Values.config.EVALUATIONS_TOPIC | default "decision-evaluations" -}}
{{- if hasPrefix "decisions" .role -}}{{ $decisions }}{{- else -}}{{ $evaluations }}{{- end -}}
{{- if hasSuffix "dead_letter" .role -}}.dead-letter{{- end -}}
{{- end -}}

{{/* Name of a consumer group. Takes {root, component}. Storage has a second group,
     storage_evaluations. */}}
{{- define "sluice.group" -}}
{{- if eq .component "evaluation" -}}
{{- .root.Values.config.EVALUATION_GROUP_ID | default "sluice-evaluation" -}}
{{- else -}}
{{- .root.Values.config.STORAGE_GROUP_ID | default "sluice-storage" -}}
{{- if eq .component "storage_evaluations" }}-evaluations{{ end -}}
{{- end -}}
{{- end -}}
