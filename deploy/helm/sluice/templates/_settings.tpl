{{/* A process is {root, component, role (its values), reads (its list in files/settings.yaml)}. */}}

{{/* How the process authenticates to Kafka as a Strimzi user; empty if it has no such user. */}}
{{- define "sluice.kafkaUser" -}}
{{- with .root.Values.strimzi -}}
{{- if and .users.enabled (has $.component (list "gateway" "storage" "evaluation" "audit")) -}}
{{- .users.authentication -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Plain settings by name, as strings. Converts numbers to integers, because Helm parses them as
     floats and 1e+06 is not a valid setting. */}}
{{- define "sluice.config" -}}
{{- /* Probes and Prometheus connect to the pod's address, so 127.0.0.1 would not work. */}}
{{- $config := dict "MANAGEMENT_HOST" "0.0.0.0" -}}
{{- if eq (include "sluice.kafkaUser" .) "scram-sha-512" -}}
{{- $_ := set $config "KAFKA_SASL_MECHANISM" "scram-sha-512" -}}
{{- $_ := set $config "KAFKA_SASL_USERNAME" (include "sluice.name" $) -}}
{{- end -}}
{{- range $values := list .root.Values.config .role.config -}}
{{- range $name, $value := $values -}}
{{- if kindIs "float64" $value -}}{{- $value = int64 $value -}}{{- end -}}
{{- if not (kindIs "invalid" $value) -}}{{- $_ := set $config $name (toString $value) -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- if and .root.Values.reads.enabled (eq .component "gateway") -}}
{{- $_ := set $config "GATEWAY_ROUTES" "ingest" -}}
{{- else if eq .component "reads" -}}
{{- $_ := set $config "GATEWAY_ROUTES" "api" -}}
{{- end -}}
{{- toYaml $config -}}
{{- end -}}

{{/* Settings that are mounted as files, by name: {kind, name, key}. */}}
{{- define "sluice.secrets" -}}
{{- $secrets := dict -}}
{{- $source := dict "kind" "Secret" "name" (include "sluice.name" .) -}}
{{- $user := include "sluice.kafkaUser" . -}}
{{- if eq $user "scram-sha-512" -}}
{{- $_ := set $secrets "KAFKA_SASL_PASSWORD" (set (deepCopy $source) "key" "password") -}}
{{- else if $user -}}
{{- $_ := set $secrets "KAFKA_TLS_CERT" (set (deepCopy $source) "key" "user.crt") -}}
{{- $_ := set $secrets "KAFKA_TLS_KEY" (set (deepCopy $source) "key" "user.key") -}}
{{- end -}}
{{- range $values := list .root.Values.secrets .role.secrets -}}
{{- range $name, $value := $values -}}
{{- if $value -}}
{{- $from := dict "kind" (default "Secret" $value.kind) "name" $value.name -}}
{{- $_ := set $secrets $name (set $from "key" (default $name $value.key)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- toYaml $secrets -}}
{{- end -}}

{{/* Names of the settings that the process reads, which depend on the routes that it serves. */}}
{{- define "sluice.reads" -}}
{{- $reads := get (.root.Files.Get "files/settings.yaml" | fromYaml) .reads -}}
{{- $routes := get (include "sluice.config" . | fromYaml) "GATEWAY_ROUTES" -}}
{{- range $name := $reads -}}
{{- $isOfLog := or (hasPrefix "KAFKA_" $name) (hasPrefix "SCHEMA_REGISTRY_" $name) -}}
{{- $isOfSession := hasPrefix "SESSION_" $name -}}
{{- /* Storage and ingestion-only gateways neither call judges nor sign webhooks. */}}
{{- $isOfEvaluation := and (eq $name "SECRETS_KEY") (or (eq $.component "storage") (eq $routes "ingest")) -}}
{{- if not (or (and $isOfLog (eq $routes "api")) (and $isOfSession (eq $routes "ingest")) $isOfEvaluation) }}
- {{ $name }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Fails before anything is installed if the process would reject its settings at startup. */}}
{{- define "sluice.check" -}}
{{- $config := include "sluice.config" . | fromYaml -}}
{{- $secrets := include "sluice.secrets" . | fromYaml -}}
{{- $required := (.root.Files.Get "files/settings.yaml" | fromYaml).required -}}
{{- $wrong := list -}}
{{- range $name := include "sluice.reads" . | fromYamlArray -}}
{{- if and (hasKey $config $name) (hasKey $secrets $name) -}}
{{- $wrong = append $wrong (printf "%s is in config and in secrets; take one out, as with secrets.%s: null" $name $name) -}}
{{- else if and (has $name $required) (not (or (hasKey $config $name) (hasKey $secrets $name))) -}}
{{- $wrong = append $wrong (printf "%s is neither in config nor in secrets" $name) -}}
{{- end -}}
{{- end -}}
{{- if $wrong -}}
{{- fail (printf "\n\n%s: %s\n" .component (join ("; ") $wrong)) -}}
{{- end -}}
{{- end -}}

{{/* Environment variables of the process. A mounted setting is passed as the path of its file. */}}
{{- define "sluice.env" -}}
{{- include "sluice.check" . -}}
{{- $config := include "sluice.config" . | fromYaml -}}
{{- $secrets := include "sluice.secrets" . | fromYaml -}}
{{- range $name := include "sluice.reads" . | fromYamlArray -}}
{{- if hasKey $config $name }}
- name: {{ $name }}
  value: {{ get $config $name | quote }}
{{- else if hasKey $secrets $name }}
- name: {{ $name }}_FILE
  value: /run/secrets/sluice/{{ $name }}
{{- end -}}
{{- end }}
- name: NODE_OPTIONS
  value: --max-old-space-size={{ .role.heapMegabytes | int }}
{{- end -}}

{{/* Sources of the volume with the secrets of the process; empty if it reads none. */}}
{{- define "sluice.secretSources" -}}
{{- $secrets := include "sluice.secrets" . | fromYaml -}}
{{- range $name := include "sluice.reads" . | fromYamlArray -}}
{{- with get $secrets $name }}
- {{ ternary "configMap" "secret" (eq .kind "ConfigMap") }}:
    name: {{ .name | quote }}
    items: [{ key: {{ .key | quote }}, path: {{ $name }} }]
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Maximum duration of an orderly shutdown, in seconds. */}}
{{- define "sluice.graceSeconds" -}}
{{- $config := include "sluice.config" . | fromYaml -}}
{{- $deadlineMs := get $config "SHUTDOWN_DEADLINE_MS" | default "25000" | int -}}
{{- add (.role.preStopSeconds | default 0 | int) (divf $deadlineMs 1000 | ceil | int) 5 -}}
{{- end -}}
