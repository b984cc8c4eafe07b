{{/* Renders the Deployment of a process. Takes the values of sluice.pod and {replicas (null if
     autoscaled), strategy}. */}}
{{- define "sluice.deployment" -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "sluice.name" . }}
  labels:
    {{- include "sluice.labels" . | nindent 4 }}
spec:
  {{- if not (kindIs "invalid" .replicas) }}
  replicas: {{ .replicas | int }}
  {{- end }}
  revisionHistoryLimit: 5
  strategy:
    {{- toYaml .strategy | nindent 4 }}
  selector:
    matchLabels:
      {{- include "sluice.selector" . | nindent 6 }}
  template:
    {{- include "sluice.pod" . | nindent 4 }}
{{- if .root.Values.podDisruptionBudget.enabled }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ include "sluice.name" . }}
  labels:
    {{- include "sluice.labels" . | nindent 4 }}
spec:
  maxUnavailable: 1
  # A pod that is not ready serves no requests and must not block the drain of a node.
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      {{- include "sluice.selector" . | nindent 6 }}
{{- end }}
{{- end -}}
