package facts

import (
	"slices"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
)

const kubeText = `apiVersion: v1
kind: Config
current-context: "dev"
clusters:
- cluster:
    certificate-authority-data: LS0t
    extensions:
    - extension:
        provider: mini
      name: cluster_info
    server: https://127.0.0.1:8443
  name: local
- name: far   # of the company
  cluster: {}
- name: live
  cluster:
    server: 'https://api.live.example:6443'
contexts:
- context:
    cluster: local
    namespace: x
    user: me
  name: dev
- name: prod
  context:
    cluster: live
    user: me
users:
- name: me
  user:
    token: abc
`

// Clients of clusters call the server of the context that is named, or current.
func TestServersOfKubeconfig(t *testing.T) {
	w := withFiles(map[string]string{
		"/home/u/.kube/config":    kubeText,
		"/home/u/project/k.yaml":  "current-context: only\ncontexts:\n  - name: only\n    context:\n      cluster: one\nclusters:\n  - name: one\n    cluster:\n      server: https://one.example\n",
		"/home/u/project/none":    "clusters: [{name: x}]\ncurrent-context:\n",
		"/home/u/project/odd.yml": "- a\n-\n: b\n\tclusters:\n- name\n",
	})
	for line, want := range map[string]string{
		"kubectl get pods":                                                    "127.0.0.1:8443",
		"kubectl --context prod get pods":                                     "api.live.example:6443",
		"kubectl get pods --context=prod":                                     "api.live.example:6443",
		"kubectl delete pod x --cluster live":                                 "api.live.example:6443",
		"kubectl apply -f k.yaml --context nowhere":                           "",
		"kubectl --server https://s.example get pods":                         "s.example",
		"kubectl config view":                                                 "",
		"kubectl completion bash":                                             "",
		"kubectl version --client":                                            "",
		"KUBECONFIG=k.yaml kubectl get nodes":                                 "one.example",
		"KUBECONFIG=none:k.yaml:/home/u/.kube/config k get po --context prod": "api.live.example:6443",
		"kubectl get pods --kubeconfig k.yaml":                                "one.example",
		"kubectl get pods --kubeconfig odd.yml":                               "",
		`kubectl get pods --context "$WHICH"`:                                 "",
		"helm upgrade --install x ./chart --kube-context prod":                "api.live.example:6443",
		"helm install x y --repo https://x.example --kube-context prod":       "api.live.example:6443, x.example",
		"helm template x ./chart":                                             "",
		"helm lint .":                                                         "",
		"ssh box kubectl get pods":                                            "box",
		"echo kubectl get pods":                                               "",
	} {
		if got := strings.Join(called(Shell(line, w)), ", "); got != want {
			t.Errorf("%s: got %s, want %s", line, got, want)
		}
	}
	if slices.ContainsFunc(Shell("kubectl get pods --kubeconfig \"$X\"", w), func(f hook.Fact) bool { return f.Does == "connect" }) {
		t.Error("a file that nobody knows names a server")
	}
}

func FuzzKubeconfig(f *testing.F) {
	f.Add(kubeText)
	f.Add("current-context: a\nclusters:\n- name: a\n")
	f.Fuzz(func(t *testing.T, text string) {
		w := withFiles(map[string]string{"/home/u/.kube/config": text})
		same(t, func() []hook.Fact { return Shell("kubectl get pods", w) })
	})
}
