{{/* Renders the pod of a process or job. Takes {root, component, role, reads, args, serves, isJob}.
     `serves` contains the ports by name. */}}
{{- define "sluice.pod" -}}
{{- $own := .role.pod | default dict -}}
{{- $pod := .root.Values.pod -}}
{{- $sources := include "sluice.secretSources" . -}}
metadata:
  labels:
    {{- include "sluice.labels" . | nindent 4 }}
    {{- range $key, $value := merge (dict) ($own.labels | default dict) $pod.labels }}
    {{ $key }}: {{ $value | quote }}
    {{- end }}
  {{- with merge (dict) ($own.annotations | default dict) $pod.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  serviceAccountName: {{ include "sluice.serviceAccount" . | quote }}
  automountServiceAccountToken: false
  # Otherwise a Service named gateway would set GATEWAY_PORT to tcp://….
  enableServiceLinks: false
  securityContext:
    runAsNonRoot: true
    {{- with $pod.runAsUser }}
    runAsUser: {{ . | int }}
    runAsGroup: {{ . | int }}
    fsGroup: {{ . | int }}
    {{- end }}
    seccompProfile: { type: RuntimeDefault }
  {{- with .root.Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $own.priorityClassName | default $pod.priorityClassName }}
  priorityClassName: {{ . | quote }}
  {{- end }}
  {{- range $key := list "nodeSelector" "tolerations" "affinity" }}
  {{- with get $own $key | default (get $pod $key) }}
  {{ $key }}:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- end }}
  {{- if .isJob }}
  restartPolicy: Never
  {{- else }}
  terminationGracePeriodSeconds: {{ include "sluice.graceSeconds" . }}
  topologySpreadConstraints:
    {{- range $key := list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
    - topologyKey: {{ $key }}
      maxSkew: 1
      whenUnsatisfiable: ScheduleAnyway
      matchLabelKeys: [pod-template-hash]
      labelSelector:
        matchLabels:
          {{- include "sluice.selector" $ | nindent 10 }}
    {{- end }}
  {{- end }}
  containers:
    - name: {{ .component }}
      image: {{ include "sluice.image" .root | quote }}
      imagePullPolicy: {{ .root.Values.image.pullPolicy }}
      args: {{ toJson .args }}
      env:
        {{- include "sluice.env" . | trim | nindent 8 }}
      {{- with .serves }}
      ports:
        {{- range $name, $port := . }}
        - { name: {{ $name }}, containerPort: {{ $port }} }
        {{- end }}
      # Checks only the event loop: a process that waits for Kafka is not restarted.
      startupProbe:
        httpGet: { path: /livez, port: management }
        periodSeconds: 2
        failureThreshold: 60
      livenessProbe:
        httpGet: { path: /livez, port: management }
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      readinessProbe:
        httpGet: { path: /readyz, port: management }
        periodSeconds: 5
        timeoutSeconds: 3
        failureThreshold: 2
      {{- end }}
      {{- with .role.preStopSeconds }}
      lifecycle:
        preStop:
          sleep: { seconds: {{ . | int }} }
      {{- end }}
      resources:
        {{- toYaml .role.resources | nindent 8 }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: { drop: [ALL] }
      volumeMounts:
        - { name: tmp, mountPath: /tmp }
        {{- if $sources }}
        - { name: secrets, mountPath: /run/secrets/sluice, readOnly: true }
        {{- end }}
  volumes:
    - name: tmp
      emptyDir: { sizeLimit: 64Mi }
    {{- if $sources }}
    - name: secrets
      projected:
        defaultMode: 0440
        sources:
          {{- $sources | trim | nindent 10 }}
    {{- end }}
{{- end -}}
