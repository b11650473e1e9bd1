package facts

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
)

// called gives the hosts of a call's connections: "host:port", "?" for one that is not
// known, and what is sent there.
func called(found []hook.Fact) []string {
	var out []string
	for _, f := range found {
		if f.Does != "connect" {
			continue
		}
		s := f.Host
		if s == "" {
			s = "?"
		}
		if f.Port != 0 {
			s += fmt.Sprint(":", f.Port)
		}
		if len(f.Sends) > 0 {
			s += " < " + strings.Join(f.Sends, " ")
		}
		out = append(out, s)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// clientLines are lines with the hosts that they connect to, by commas.
var clientLines = map[string]string{
	"psql -h db.example -p 6432 -U app -c 'select 1'": "db.example:6432",
	"psql -hdb.example":                                                     "db.example",
	"psql 'host=db.example port=5433 dbname=x'":                             "db.example:5433",
	"psql postgres://u:secret@db.example:5433/x":                            "db.example:5433",
	"psql -d 'postgres://a.example,b.example:1/x'":                          "a.example, b.example:1",
	"PGHOST=db.example PGPORT=5 psql -c 'select 1'":                         "db.example:5",
	"export PGHOST=db.example; pg_dump app":                                 "db.example",
	"PGHOST=other.example psql -h db.example":                               "db.example",
	"psql -h /var/run/postgresql app":                                       "",
	"psql app":                                                              "",
	`psql "$SOMEWHERE" -c 'select 1'`:                                       "?",
	"mysql --host=db.example -P 3307 shop":                                  "db.example:3307",
	"mariadb -h db.example":                                                 "db.example",
	"mongosh 'mongodb://u:p@a.example:1,b.example:2/x?y=z@w'":               "a.example:1, b.example:2",
	"mongosh mongodb+srv://c.example/x":                                     "c.example",
	"mongosh db.example/shop":                                               "db.example",
	"mongosh shop":                                                          "",
	"redis-cli -h cache.example -p 6380 ping":                               "cache.example:6380",
	"redis-cli -u redis://:pw@cache.example:6380/0 ping":                    "cache.example:6380",
	"sqlcmd -S tcp:sql.example,1444 -Q 'select 1'":                          "sql.example:1444",
	`sqlcmd -S 'sql.example\one' -Q 'select 1'`:                             "sql.example",
	"cqlsh db.example 9042":                                                 "db.example:9042",
	"clickhouse-client --host ch.example --port 9001":                       "ch.example:9001",
	"sqlplus scott/tiger@ora.example:1521/orcl":                             "ora.example:1521",
	"sqlplus / as sysdba":                                                   "",
	"ETCDCTL_ENDPOINTS=http://a.example:1,http://b.example:2 etcdctl get x": "a.example:1, b.example:2",
	"vault -address=https://v.example read x":                               "v.example",
	"nc -zv h.example 443":                                                  "h.example:443",
	"nc -l 4444":                                                            "",
	"nc -x p.example:1080 h.example 22":                                     "h.example:22, p.example:1080",
	"echo hi | netcat h.example 80":                                         "h.example:80 < stdin",
	"nc -U /run/x.sock":                                                     "",
	"socat - TCP:h.example:443":                                             "h.example:443",
	"tar c . | socat - openssl:h.example:443,verify=0":                      "h.example:443 < stdin",
	"socat - PROXY:p.example:h.example:22,proxyport=3128":                   "h.example:22, p.example",
	"telnet h.example 23":                                                   "h.example:23",
	"ssh -p 2222 u@h.example uptime":                                        "h.example:2222",
	"ssh ssh://u@h.example:2222 uptime":                                     "h.example:2222",
	"ssh -o HostName=other.example h.example id":                            "h.example, other.example",
	"ssh -J a@j.example:22,b@k.example h.example id":                        "h.example, j.example:22, k.example",
	"sftp -P 22 u@h.example":                                                "h.example:22",
	"scp -P 2222 f u@h.example:/tmp":                                        "h.example:2222 < file:/home/u/project/f",
	"rsync -a h.example::mod here":                                          "h.example",
	"rsync -a rsync://h.example:873/mod here":                               "h.example:873",
	"cat < /dev/tcp/h.example/80":                                           "h.example:80",
	"docker pull ghcr.io/x/y:1":                                             "ghcr.io",
	"docker pull --platform linux/amd64 alpine":                             "docker.io",
	"docker push reg.example:5000/x/y":                                      "reg.example:5000 < image:reg.example:5000/x/y",
	"docker login -u x -p y reg.example":                                    "reg.example",
	"docker login -u x":                                                     "docker.io",
	"docker run --rm reg.example/x ls":                                      "reg.example",
	"podman run --rm localhost/x ls":                                        "localhost",
	"docker -H tcp://d.example:2375 ps":                                     "d.example:2375",
	"docker -H unix:///run/x.sock ps":                                       "",
	"docker ps":                                                             "",
	"kubectl --server https://k.example:6443 get pods":                      "k.example:6443",
	"kubectl get pods -s https://k.example:6443":                            "k.example:6443",
	"kubectl get pods":                                                      "",
	"helm list --kube-apiserver=https://k.example":                          "k.example",
	"helm install x c --repo https://c.example":                             "c.example",
	"helm repo add a https://c.example/stable":                              "c.example",
	"helm pull oci://reg.example/charts/x":                                  "reg.example",
	"aws --endpoint-url https://s3.example s3 ls":                           "s3.example",
	"aws s3 ls":                                                 "s3.amazonaws.com",
	"aws configure list":                                        "",
	"gcloud compute instances list":                             "compute.googleapis.com",
	"gcloud config list":                                        "",
	"go install h.example/cmd/x@v1.2.3":                         "h.example",
	"go install ./cmd/x":                                        "",
	"pip install --index-url https://i.example/simple x":        "i.example",
	"PIP_INDEX_URL=https://i.example/simple pip install x":      "i.example",
	"npm i --registry=https://r.example x":                      "r.example",
	"npm i x":                                                   "",
	"cargo install --git https://g.example/x":                   "g.example",
	"gem install -s https://g.example x":                        "g.example",
	"openssl s_client -connect h.example:443 < /dev/null":       "h.example:443",
	"openssl s_client -connect h.example:443 < a":               "h.example:443 < file:/home/u/project/a",
	"ftp ftp://u@f.example/x":                                   "f.example",
	"smbclient //f.example/share -U x":                          "f.example",
	"ldapsearch -H ldaps://l.example:636 -b dc=x":               "l.example:636",
	"dig @9.9.9.9 h.example MX":                                 "9.9.9.9, h.example",
	"curl --connect-to ::o.example:443 https://h.example":       "h.example, o.example:443",
	"curl -x http://p.example:3128 https://h.example":           "h.example, p.example:3128",
	"git clone git@h.example:o/r.git":                           "h.example",
	"git clone ssh://git@h.example:2222/o/r":                    "h.example:2222",
	"git clone https://h.example/o/r@x y":                       "h.example",
	"git clone ../lib y":                                        "",
	"git clone file:///srv/lib y":                               "",
	"git ls-remote [2001:db8::1]:o/r":                           "2001:db8::1",
	"git archive --remote=git@h.example:o/r HEAD":               "h.example",
	"git push git@h.example:o/r topic":                          "h.example < commits",
	"git push -n git@h.example:o/r topic":                       "h.example",
	"git remote add e https://h.example/x && git push e topic":  "h.example < commits",
	"git -c remote.origin.url=https://h.example/x fetch origin": "h.example",
	"git push elsewhere topic":                                  "? < commits",
	"git log origin/main":                                       "",
	"bash -c 'docker pull $(echo reg.example)/x'":               "reg.example",
	"echo 'psql -h db.example'":                                 "",
	"psql --help -h db.example":                                 "",
}

// The hosts of clients are known, in each of the forms in which they take them.
func TestClientsCallTheirHosts(t *testing.T) {
	w := World{Dir: "/home/u/project", Home: "/home/u"}
	for line, want := range clientLines {
		if got := strings.Join(called(Shell(line, w)), ", "); got != want {
			t.Errorf("%s\ngot  %q\nwant %q", line, got, want)
		}
	}
	w.Env = map[string]string{"PGHOST": "db.example", "DOCKER_HOST": "tcp://d.example:2375"}
	for line, want := range map[string]string{"psql app": "db.example", "docker ps": "d.example:2375"} {
		if got := strings.Join(called(Shell(line, w)), ", "); got != want {
			t.Errorf("in an environment: %s: got %q, want %q", line, got, want)
		}
	}
}

// What is no shell has clients, too.
func TestClientsOfOtherLanguages(t *testing.T) {
	w := World{Dir: "/home/u/project", Home: "/home/u"}
	of := func(program string) func(string, World) []hook.Fact {
		return func(s string, w World) []hook.Fact { return Shell(program+" "+quote(s), w) }
	}
	for _, test := range []struct {
		read  func(string, World) []hook.Fact
		lines map[string]string
	}{
		{PowerShell, map[string]string{
			"Test-NetConnection h.example -Port 5432":                           "h.example:5432",
			"tnc -ComputerName h.example -Port 443":                             "h.example:443",
			"$c = New-Object System.Net.Sockets.TcpClient('h.example',4444)":    "h.example:4444",
			"New-Object Net.Sockets.TcpClient -ArgumentList h.example,4444":     "h.example:4444",
			"[Net.Sockets.TcpClient]::new('h.example', 443)":                    "h.example:443",
			"$c.Connect('h.example', 443)":                                      "h.example:443",
			"Invoke-Command -ComputerName h.example { ls }":                     "h.example",
			"Enter-PSSession h.example":                                         "h.example",
			"Invoke-Sqlcmd -ServerInstance 'h.example,1433' -Query 'select 1'":  "h.example:1433",
			"(New-Object Net.WebClient).UploadFile('https://h.example/u', 'a')": "h.example < file:/home/u/project/a",
			"$w.UploadString('https://h.example/u', $env:API_KEY)":              "h.example < env:API_KEY",
			`Copy-Item a \\h.example\share\a`:                                   "h.example",
			"iwr https://h.example/ -OutFile p":                                 "h.example",
			"psql -h h.example":                                                 "h.example",
			"New-Object Text.StringBuilder('h.example')":                        "",
			"Test-Path h.example":                                               "",
		}},
		{Cmd, map[string]string{
			"psql -h h.example -p 5":     "h.example:5",
			"telnet h.example 23":        "h.example:23",
			`copy a \\h.example\share\a`: "h.example",
			`type \\.\pipe\x`:            "",
			"echo psql -h h.example":     "",
		}},
		{of("python3 -c"), map[string]string{
			"import socket; socket.create_connection(('h.example', 80), 2)":       "h.example:80",
			"import socket; s = socket.socket(); s.connect(('h.example', 80))":    "h.example:80",
			"import psycopg2; psycopg2.connect(host='h.example', dbname='x')":     "h.example",
			"import psycopg2; psycopg2.connect('host=h.example port=5 dbname=x')": "h.example:5",
			"import redis; redis.from_url('redis://h.example:6379/0').ping()":     "h.example:6379",
			"import smtplib; smtplib.SMTP('h.example', 25)":                       "h.example:25",
			"import sqlite3; sqlite3.connect('app.db')":                           "",
			"print('postgres://h.example/x')":                                     "",
		}},
		{of("node -e"), map[string]string{
			"require('net').connect(443, 'h.example')":                     "h.example:443",
			"require('https').request({host: 'h.example', method: 'GET'})": "h.example",
			"new MongoClient('mongodb://h.example:27017').connect()":       "h.example:27017",
			"console.log({host: 'h.example'})":                             "",
		}},
		{of("ruby -e"), map[string]string{"require 'socket'; TCPSocket.new('h.example', 80)": "h.example:80"}},
		{of("php -r"), map[string]string{"fsockopen('h.example', 80);": "h.example:80"}},
	} {
		for line, want := range test.lines {
			if got := strings.Join(called(test.read(line, w)), ", "); got != want {
				t.Errorf("%s: got %q, want %q", line, got, want)
			}
		}
	}
}

// Each row names programs whose options are known, and sources that they have.
func TestRowsOfClientsHaveTheirPrograms(t *testing.T) {
	for name, row := range clients() {
		words := strings.Fields(name)
		e := programs()[words[0]]
		if e == nil && !strings.Contains(words[0], "-") {
			t.Errorf("%s: programs.txt does not have it", name)
			continue
		}
		for _, w := range words[1:] {
			if e != nil && e.subs[w] != nil {
				e = e.subs[w]
			}
		}
		for _, g := range row.groups {
			if len(g.sources) == 0 {
				t.Errorf("%s: %s has no sources", name, g.kind)
			}
			if readAddress(g.kind, "@//h.example/x:1:h.example:1") == nil && !slices.Contains([]string{"host", "user", "url", "peer", "port", "not", "sends", "is", "setting", "module", "share", "place"}, g.kind) {
				t.Errorf("%s: the kind %q says nothing", name, g.kind)
			}
		}
	}
}

// A push goes where the settings of the repository say.
func TestGitCallsTheHostsOfItsRemotes(t *testing.T) {
	files := map[string]string{
		"/home/u/.gitconfig":                            "[url \"ssh://git@mirror.example/\"]\n\tinsteadOf = gh:\n",
		"/home/u/project/.git/HEAD":                     "ref: refs/heads/topic\n",
		"/home/u/project/.git/config":                   "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = git@one.example:o/r.git ; mine\n[remote \"up\"]\n\turl = https://two.example/o/r\n\tpushurl = \"https://three.example:8443/o/r\"\n[remote \"short\"]\n\turl = gh:o/r\n[remote \"disk\"]\n\turl = /srv/r.git\n[branch \"topic\"]\n\tremote = up\n",
		"/home/u/project/.gitmodules":                   "[submodule \"a\"]\n\tpath = a\n\turl = https://four.example/a\n",
		"/home/u/tree/.git":                             "gitdir: /home/u/project/.git/worktrees/tree\n",
		"/home/u/project/.git/worktrees/tree/HEAD":      "ref: refs/heads/other\n",
		"/home/u/project/.git/worktrees/tree/commondir": "../..\n",
	}
	w := World{Dir: "/home/u/project", Home: "/home/u", ReadFile: func(name string, n int) ([]byte, error) {
		s, ok := files[name]
		if !ok {
			return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("there is none")}
		}
		return []byte(s[:min(len(s), n)]), nil
	}}
	for line, want := range map[string]string{
		"git push":                                   "three.example:8443 < commits",
		"git pull":                                   "two.example",
		"git fetch origin":                           "one.example",
		"git push origin main":                       "one.example < commits",
		"git fetch short":                            "mirror.example",
		"git push disk":                              "",
		"git fetch --all":                            "mirror.example, one.example, two.example",
		"git remote update":                          "mirror.example, one.example, two.example",
		"cd a/b && git push origin x":                "one.example < commits",
		"git -C /home/u/tree push":                   "one.example < commits",
		"git -C /home/u/other push origin":           "? < commits",
		"git --git-dir=/home/u/project/.git pull up": "two.example",
		"git submodule update --init":                "four.example",
		"git remote set-url origin https://five.example/x; git push origin x": "five.example < commits",
		"git status; git log; git remote -v":                                  "",
	} {
		if got := strings.Join(called(Shell(line, w)), ", "); got != want {
			t.Errorf("%s: got %q, want %q", line, got, want)
		}
	}
}

func FuzzAddresses(f *testing.F) {
	for _, s := range []string{"postgres://u:p@a,b:1/x?y", "host=a port=1", "tcp:h,1433", "[::1]:5", "u/p@h:1/s", "a@b:1,c@d", `h\i;x=y`, "//h/s", "git@h:x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, kind := range []string{"host", "url", "place", "user", "share", "via", "at", "peer", "setting", "image", "module"} {
			for _, a := range readAddress(kind, clean(s)) {
				if a.host == "" || strings.ContainsAny(a.host, "/@ \t\n") {
					t.Errorf("%s %q: got the host %q", kind, s, a.host)
				}
			}
		}
	})
}
