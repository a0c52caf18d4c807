{{- define "sluice.labels" -}}
app.kubernetes.io/name: sluice
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
{{- end }}

{{- define "sluice.pod" -}}
automountServiceAccountToken: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile: { type: RuntimeDefault }
volumes:
  - name: data
    emptyDir: {}
  - name: tmp
    emptyDir: {}
  - name: secrets
    secret: { secretName: {{ .Values.secret }}, defaultMode: 0440 }
{{- end }}

{{- define "sluice.container" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
volumeMounts:
  - { name: data, mountPath: /data }
  - { name: tmp, mountPath: /tmp }
  - { name: secrets, mountPath: /run/secrets, readOnly: true }
{{- end }}

{{- define "sluice.probes" -}}
startupProbe:
  httpGet: { path: /healthz, port: health }
  periodSeconds: 2
  failureThreshold: 60
livenessProbe:
  httpGet: { path: /healthz, port: health }
  periodSeconds: 10
readinessProbe:
  httpGet: { path: /readyz, port: health }
  periodSeconds: 2
{{- end }}

{{- define "sluice.env" -}}
{{- range $name, $value := .Values.settings }}
- { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
{{- end }}
