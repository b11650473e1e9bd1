package facts

import (
	"strings"
	"testing"
)

// What is taken away by a list of all that there is goes in bulk; what is named, or left
// over by a filter, does not.
func TestEveryOneOfAKind(t *testing.T) {
	w := World{Dir: "/home/u/project", Home: "/home/u"}
	for line, want := range map[string]bool{
		"docker rm -f $(docker ps -aq)":                                                       true,
		"docker ps -a --format '{{.ID}}' | xargs docker rm -f":                                true,
		"docker ps -a | awk 'NR>1{print $1}' | xargs docker rm -f":                            true,
		"docker ps -a | grep -v CONTAINER | awk '{print $1}' | xargs docker rm -f":            true,
		"x=$(podman ps -aq); podman rm -f $x":                                                 true,
		"for v in $(docker volume ls -q); do docker volume rm $v; done":                       true,
		"docker volume ls -q | while read v; do docker volume rm $v; done":                    true,
		"kubectl delete $(kubectl get deploy -o name -n dev) -n dev":                          true,
		"kubectl get ns -o name | grep -v kube | xargs kubectl delete":                        true,
		"helm ls -q | xargs helm uninstall":                                                   true,
		"az group list --query '[].name' -o tsv | xargs -n1 az group delete --yes -n":         true,
		"aws s3api list-buckets --query 'Buckets[].Name' | xargs -n1 aws s3api delete-bucket": true,
		"docker rm -f web":                                                                       false,
		"docker rm -f $(docker ps -aqf name=web)":                                                false,
		"docker rm -f $(docker ps -aq --filter label=x)":                                         false,
		"docker rm -f $(docker ps -aq | head -1)":                                                false,
		"docker rm -f $(docker compose ps -q)":                                                   false,
		"docker ps -a | grep web_test | awk '{print $1}' | xargs docker rm -f":                   false,
		"docker ps -a | awk '/web_test/{print $1}' | xargs docker rm -f":                         false,
		"docker rmi -f $(docker images -q myapp)":                                                false,
		"docker rm $(docker ps -aq)":                                                             false,
		"kubectl delete $(kubectl get pods -l app=web -o name)":                                  false,
		"az group list --query \"[?tags.x=='1'].name\" -o tsv | xargs -n1 az group delete -y -n": false,
		"docker ps -aq | wc -l; docker rm -f web":                                                false,
	} {
		bulk := false
		for _, f := range Shell(line, w) {
			bulk = bulk || f.Does == "infra" && f.Verb == "delete" && f.Bulk
		}
		if bulk != want {
			t.Errorf("%s: got bulk %v, want %v", line, bulk, want)
		}
	}
}

// A list of all is no source of what is sent, and no code from elsewhere.
func TestListsAreNoSources(t *testing.T) {
	for _, f := range Shell(`curl -d "$(docker ps -aq)" https://x.example/; sh -c "echo $(docker ps -q)"`, World{Dir: "/p"}) {
		if f.Does == "execute" || strings.Contains(strings.Join(f.Sends, " "), everyOne) {
			t.Errorf("got %+v", f)
		}
	}
}
