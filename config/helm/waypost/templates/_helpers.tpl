{{/* Prefix of the names of all objects. */}}
{{- define "waypost.name" -}}
{{- default .Release.Name .Values.nameOverride | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- define "waypost.selector" -}}
app.kubernetes.io/name: waypost
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "waypost.labels" -}}
{{ include "waypost.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "waypost.image" -}}
{{ .Values.image.repository }}:{{ default .Chart.AppVersion .Values.image.tag }}
{{- end -}}

{{/* The folder has a parent of its own, so that it can be closed to the group of the volume. */}}
{{- define "waypost.dataDir" -}}
/data/waypost
{{- end -}}

{{- define "waypost.adminSecret" -}}
{{- if .Values.admin.existingSecret -}}
{{ .Values.admin.existingSecret }}
{{- else if .Values.admin.password -}}
{{ include "waypost.name" . }}-admin
{{- end -}}
{{- end -}}

{{/* Of the daemon, and of the commands that make it a member of a cluster. */}}
{{- define "waypost.environment" -}}
- name: POD_NAME
  valueFrom: {fieldRef: {fieldPath: metadata.name}}
- name: POD_NAMESPACE
  valueFrom: {fieldRef: {fieldPath: metadata.namespace}}
- name: WAYPOST_CONFIG
  value: /etc/waypost/waypost.toml
- name: WAYPOST_DATA_DIR
  value: {{ include "waypost.dataDir" . }}
- name: WAYPOST_NODE_NAME
  value: $(POD_NAME).{{ include "waypost.name" . }}-nodes.$(POD_NAMESPACE).svc.{{ .Values.clusterDomain }}
- name: WAYPOST_DNS_LISTEN
  value: "*:5353"
- name: WAYPOST_EDGE_HTTP_LISTEN
  value: "*:8080"
- name: WAYPOST_EDGE_HTTPS_LISTEN
  value: "*:8443"
- name: WAYPOST_ADMIN_LISTEN
  value: 0.0.0.0:8300
{{- if .Values.etcd.endpoints }}
- name: WAYPOST_PEER_LISTEN
  value: 0.0.0.0:8301
- name: WAYPOST_PEER_ADVERTISE
  value: $(WAYPOST_NODE_NAME):8301
- name: WAYPOST_ETCD_ENDPOINTS
  value: {{ join "," .Values.etcd.endpoints | quote }}
- name: WAYPOST_ETCD_PREFIX
  value: {{ .Values.etcd.prefix | quote }}
{{- if .Values.etcd.tlsSecret }}
- name: WAYPOST_ETCD_CA_FILE
  value: /etc/waypost/etcd/ca.crt
- name: WAYPOST_ETCD_CERTIFICATE_FILE
  value: /etc/waypost/etcd/tls.crt
- name: WAYPOST_ETCD_KEY_FILE
  value: /etc/waypost/etcd/tls.key
{{- end }}
{{- end }}
{{- with include "waypost.adminSecret" . }}
- name: WAYPOST_ADMIN_PASSWORD
  valueFrom: {secretKeyRef: {name: {{ . }}, key: WAYPOST_ADMIN_PASSWORD}}
{{- end }}
{{- with .Values.env }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Not empty: the configuration file has the section cluster, with the addresses of the edge. */}}
{{- define "waypost.ownCluster" -}}
{{- regexFind "(?m)^\\s*(\\[\\s*cluster\\s*\\]|cluster\\s*[.=])" .Values.config -}}
{{- end -}}

{{/* waypost.toml. Without public addresses it has none, not the loopback addresses of a trial. */}}
{{- define "waypost.config" -}}
{{- .Values.config | trimSuffix "\n" }}
{{- $addresses := .Values.cluster }}
{{- if include "waypost.ownCluster" . }}
{{- if or $addresses.ipv4 $addresses.ipv6 }}
{{- fail "the addresses of the edge are in config, section cluster, and in the value cluster; leave out one of them" }}
{{- end }}
{{- else }}

[cluster]
ipv4 = {{ toJson $addresses.ipv4 }}
ipv6 = {{ toJson $addresses.ipv6 }}
{{- end }}
{{- end -}}

{{- define "waypost.mounts" -}}
- {name: data, mountPath: /data}
- {name: tmp, mountPath: /tmp}
- {name: config, mountPath: /etc/waypost/waypost.toml, subPath: waypost.toml, readOnly: true}
{{- if and .Values.etcd.endpoints .Values.etcd.tlsSecret }}
- {name: etcd-tls, mountPath: /etc/waypost/etcd, readOnly: true}
{{- end }}
{{- range $i, $secret := .Values.secrets }}
- {name: secret-{{ $i }}, mountPath: /etc/waypost/secrets/{{ $secret }}, readOnly: true}
{{- end }}
{{- with .Values.volumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* The restricted profile of the Pod Security Standards, and a root that cannot be written. */}}
{{- define "waypost.containerSecurity" -}}
allowPrivilegeEscalation: false
capabilities: {drop: [ALL]}
readOnlyRootFilesystem: true
runAsNonRoot: true
{{- end -}}
