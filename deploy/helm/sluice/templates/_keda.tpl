{{/* Scales a consumer group by its lag. Takes a process as in consumers.yaml. */}}
{{- define "sluice.scaledObject" -}}
{{- $config := include "sluice.config" . | fromYaml -}}
{{- $secrets := include "sluice.secrets" . | fromYaml -}}
{{- $name := include "sluice.name" . -}}
{{- $mechanisms := dict "none" "none" "plain" "plaintext" "scram-sha-256" "scram_sha256" "scram-sha-512" "scram_sha512" -}}
{{- $parameters := dict "KAFKA_SASL_USERNAME" "username" "KAFKA_SASL_PASSWORD" "password" "KAFKA_TLS_CA" "ca" "KAFKA_TLS_CERT" "cert" "KAFKA_TLS_KEY" "key" -}}
{{- $ofSecrets := list -}}
{{- $ofConfigMaps := list -}}
{{- $ofVariables := list -}}
{{- range $setting, $parameter := $parameters -}}
{{- with get $secrets $setting -}}
{{- $reference := dict "parameter" $parameter "name" .name "key" .key -}}
{{- if eq .kind "ConfigMap" -}}
{{- $ofConfigMaps = append $ofConfigMaps $reference -}}
{{- else -}}
{{- $ofSecrets = append $ofSecrets $reference -}}
{{- end -}}
{{- end -}}
{{- if hasKey $config $setting -}}
{{- $ofVariables = append $ofVariables (dict "parameter" $parameter "name" $setting "containerName" $.component) -}}
{{- end -}}
{{- end -}}
{{- $isLoggedIn := or $ofSecrets $ofConfigMaps $ofVariables -}}
{{- if $isLoggedIn -}}
apiVersion: keda.sh/v1alpha1
kind: TriggerAuthentication
metadata:
  name: {{ $name }}
  labels:
    {{- include "sluice.labels" . | nindent 4 }}
spec:
  {{- with $ofSecrets }}
  secretTargetRef:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $ofConfigMaps }}
  configMapTargetRef:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $ofVariables }}
  env:
    {{- toYaml . | nindent 4 }}
  {{- end }}
---
{{ end -}}
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata:
  name: {{ $name }}
  labels:
    {{- include "sluice.labels" . | nindent 4 }}
spec:
  scaleTargetRef: { name: {{ $name }} }
  pollingInterval: 15
  minReplicaCount: {{ .role.autoscaling.min | int }}
  maxReplicaCount: {{ .role.autoscaling.max | int }}
  advanced:
    horizontalPodAutoscalerConfig:
      behavior:
        # Limits changes in the number of members, because each causes a rebalance.
        scaleUp:
          stabilizationWindowSeconds: 30
          policies: [{ type: Percent, value: 100, periodSeconds: 60 }]
        scaleDown:
          stabilizationWindowSeconds: 600
          policies: [{ type: Pods, value: 1, periodSeconds: 120 }]
  triggers:
    {{- range $topicRole := ternary (list "decisions" "evaluations") (list "decisions") (eq .component "storage") }}
    - type: kafka
      metricType: AverageValue
      metadata:
        bootstrapServers: {{ get $config "KAFKA_BROKERS" | quote }}
        {{- $group := ternary "storage_evaluations" $.component (eq $topicRole "evaluations") }}
        consumerGroup: {{ include "sluice.group" (dict "root" $.root "component" $group) | quote }}
        topic: {{ include "sluice.topic" (dict "root" $.root "role" $topicRole) | quote }}
        lagThreshold: {{ $.role.autoscaling.lagMessages | int | quote }}
        offsetResetPolicy: earliest
        # More members do not help a paused partition.
        excludePersistentLag: 'true'
        limitToPartitionsWithLag: 'true'
        allowIdleConsumers: 'false'
        scaleToZeroOnInvalidOffset: 'false'
        sasl: {{ get $mechanisms (get $config "KAFKA_SASL_MECHANISM" | default "none") }}
        tls: {{ ternary "enable" "disable" (eq (get $config "KAFKA_TLS") "true") }}
      {{- if $isLoggedIn }}
      authenticationRef: { name: {{ $name }} }
      {{- end }}
    {{- end }}
{{- end -}}
