package approve_test

import (
	"testing"

	"github.com/hookway/hookway/facts"
	"github.com/hookway/hookway/internal/approve"
)

// A yes for the shape of a call is none for one with other options: they may send a file,
// take another way, or run a program.
func TestOptionsAreAPartOfTheShape(t *testing.T) {
	world := facts.World{Dir: "/home/u/project", Home: "/home/u"}
	for _, row := range []struct {
		yes, then string
		same      bool
	}{
		{"rm -rf ./build", "rm -fr build", true},
		{"rm -rf build dist", "rm -rf ./build ./dist", true},
		{"git push https://x.example/r dev", "git   push 'https://x.example/r' dev", true},
		{"curl https://x.example/a", "curl 'https://x.example/a'", true},
		{"curl https://x.example/a", "curl -d @notes.md https://x.example/a", false},
		{"curl https://x.example/a", "curl -d text https://x.example/a", false},
		{"curl https://x.example/a", "curl -X POST https://x.example/a", false},
		{"curl -X POST https://x.example/a", "curl -X DELETE https://x.example/a", false},
		{"curl https://x.example/a", "curl -T notes.md https://x.example/a", false},
		{"curl https://x.example/a", "curl --upload-file notes.md https://x.example/a", false},
		{"curl https://x.example/a", "curl -o a.sh https://x.example/a", false},
		{"curl https://x.example/a", "curl -K rc https://x.example/a", false},
		{"curl https://x.example/a", "curl -x http://proxy.example:3128 https://x.example/a", false},
		{"curl https://x.example/a", "curl --socks5 proxy.example https://x.example/a", false},
		{"curl https://x.example/a", "curl --resolve x.example:443:203.0.113.9 https://x.example/a", false},
		{"curl https://x.example/a", "curl -k https://x.example/a", false},
		{"curl https://x.example/a", "curl https://x.example/b", false},
		{"curl -d a https://x.example/a", "curl -d b https://x.example/a", false},
		{"curl -d @a.md https://x.example/a", "curl -d @b.md https://x.example/a", false},
		{"wget https://x.example/a", "wget --post-file=notes.md https://x.example/a", false},
		{"wget https://x.example/a", "wget --use-askpass=./x https://x.example/a", false},
		{"wget https://x.example/a", "wget -e use_proxy=on https://x.example/a", false},
		{"git push https://x.example/r dev", "git -c http.proxy=http://proxy.example push https://x.example/r dev", false},
		{"git push https://x.example/r dev", "git push --receive-pack=./x https://x.example/r dev", false},
		{"git push https://x.example/r dev", "git push --push-option=ci.skip https://x.example/r dev", false},
		{"ssh web uptime", "ssh -o ProxyCommand=./x web uptime", false},
		{"ssh web uptime", "ssh -o StrictHostKeyChecking=no web uptime", false},
		{"ssh web uptime", "ssh -R 80:localhost:80 web uptime", false},
		{"scp a.md web:", "scp -S ./x a.md web:", false},
		{"rsync a.md web:", "rsync -e ./x a.md web:", false},
		{"rsync a.md web:", "rsync --rsync-path=./x a.md web:", false},
		{"tar cf /tmp/a.tar src", "tar cf /tmp/a.tar --checkpoint-action=exec=./x src", false},
		{"tar xf a.tar", "tar xf a.tar --to-command=./x", false},
		{"find src -name '*.o' -delete", "find src -name '*' -delete", false},
		{"docker rm app", "docker --host=tcp://x.example rm app", false},
		{"docker run app", "docker run -v /etc:/e app", false},
		{"docker run app", "docker run --network=host app", false},
		{"docker run app", "docker run -e A=b app", false},
		{"kubectl delete pod a", "kubectl --as=admin delete pod a", false},
		{"kubectl delete pod a", "kubectl --context=prod delete pod a", false},
		{"npm publish", "npm --script-shell=./x publish", false},
		{"npm publish", "npm publish --registry=https://x.example", false},
		{"psql -c 'delete from t where id = 7'", "psql -c 'delete from t where id = 7 or true'", false},
		{"sudo apt-get install jq", "sudo -E apt-get install jq", false},
		{"sudo apt-get install jq", "sudo apt-get -o APT::Hook=./x install jq", false},
		{"python3 -c 'import os; os.remove(\"a\")'", "python3 -c 'import os; os.remove(\"a\"); f()'", false},
		{"kubectl apply -f a.yaml", "kubectl apply -f - <<< 'x: y'", false},
		{"kubectl apply -f - <<< 'x: y'", "kubectl apply -f - <<< 'x: z'", false},
	} {
		s := open(t, t.TempDir(), approve.Options{})
		call := func(line string) approve.Call {
			c := asked(t, line)
			c.Facts = facts.Shell(line, world)
			return c
		}
		answer(t, s, ask(t, s, call(row.yes)), true, approve.ScopeSession)
		if got := said(t, s, call(row.then)) == "yes"; got != row.same {
			t.Errorf("a yes for %s lets %s pass: %v, want %v", row.yes, row.then, got, row.same)
		}
	}
}
