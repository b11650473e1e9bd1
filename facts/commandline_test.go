package facts

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// onCommandLines are commands with passwords between marks, which are to be taken out.
var onCommandLines = []string{
	"curl -u alice:«s3cr3t» https://x.example", "curl -sSu 'alice:«s3 cr3t»' x", "curl --user=alice:«s3» x", "curl -ualice:«s3» x", "/usr/bin/curl -k --proxy-user \"a:«b»\" x", "curl.exe -u a:«b» x",
	"curl -b 'session=«abc»' x", "sudo -n curl -o a.txt -u a:«b:c» x", "bash -c \"curl -u a:«b» x\"", `sh -c 'cd x; curl -u "a:«b»" x'`, `{"command":"curl -u a:«b» \"https://x\""}`, `{"command":"curl -u \"a:«b»\" x"}`,
	`subprocess.run(["curl", "-u", "a:«b»", "x"])`, `["mysql","-uroot","-p«abc»"]`, "(curl -u a:«b» x)", "$(curl -u a:«b» x)", "x=`curl -u a:«b» x`", "curl \\\n  -u a:«b» x",
	"http -a a:«b» GET x", "mysql -uroot -p«s3» db", "mysql -p'«s 3»' db", "mysqldump -h x -u root -p«abc»", "mariadb -p«abc»", "mongosh -u a -p «s3» x", "mongodump -p«s3»",
	"redis-cli -h x -a «s3» ping", "redis-cli --pass «s3»", "echo «s3» | passwd --stdin bob", "echo -n '«s3»' | sudo -S ls", "printf '%s' \"«s3»\" | docker login -u a --password-stdin x", "echo 'bob:«s3»' | sudo chpasswd", "chpasswd <<< 'bob:«s3»'",
	"echo «s3» | su root", "sshpass -p «s3» ssh a@b", "sshpass -p'«s3»' scp a b", "docker login -u a -p «s3» x.example", "podman login -p=«s3» x", "helm registry login -u a -p «s3» x", "oc login -u a -p «s3»",
	"skopeo copy --src-creds a:«b» docker://x docker://y", "htpasswd -b file bob «s3»", "htpasswd -bnBC 10 bob «s3»", "openssl enc -aes-256-cbc -pass pass:«s3» -in a", "openssl rsa -passin pass:«s3» -in a -passout 'pass:«s4»'", "openssl dgst -hmac «s3» a",
	"wget --http-password=«s3» x", "wget --password «s3» x", "aws configure set aws_secret_access_key «s3»", "aws configure set profile.x.aws_session_token «s3»", "npm config set //registry.npmjs.org/:_authToken «s3»", "poetry config pypi-token.pypi «s3»", "nmcli dev wifi connect home password «s3»",
	"useradd -m -p «s3» bob", "smbclient //h/s -U 'bob%«s3»'", "ldapsearch -x -D cn=a -w «s3» -b dc=x", "lftp -u a,«s3» x", "sqlcmd -S x -U sa -P «s3» -Q 'select 1'", "zip -P «s3» a.zip b", "7z x -p«s3» a.7z", "sqlplus scott/«tiger»@db", "cqlsh -u a -p «s3» x",
	"keytool -list -storepass «s3» -keystore a", "gpg --batch --passphrase «s3» -d a", "vault login «s.abcdef»", "vault kv put secret/a user=«b» pw=«s3»", "cargo login «abc»", "rabbitmqctl add_user bob «s3»", "mc alias set m https://x «key» «s3»",
	"kubectl create secret generic x --from-literal=pw=«s3»", "fly secrets set A=«b» C=«d»", "gh secret set X --body «s3»", "wpa_passphrase home «s3»", "snmpwalk -v3 -u a -A «s3» -X «s4» h", "mosquitto_pub -u a -P «s3» -t x", "setenv X_TOKEN «abc»", "set -gx API_TOKEN «abc»",
	"PASS=«abc» ./run", "export PASS='«a b»'", "MY_PIN=«1234» x", "env SMTP_AUTH=«abcdef» x", "SENTRY_DSN=«https://abc@x/1» x", "STRIPE_KEY=«abcd1234efgh5678» x", "PGPASSWORD=«abc» psql", "docker run -e MYSQL_ROOT_PASSWORD=«abc» x", "export X_TOKEN=«abc»",
	"mysql -e \"CREATE USER bob IDENTIFIED BY '«s3»'\"", "psql -c \"ALTER USER bob PASSWORD '«s3»'\"", "mysqladmin -u root password '«s3»'", "git clone https://«abcdefghij0123456789»@x.example/a",
	"machine x login bob password «s3»", "machine x\n  login bob\n  password «s3»\n", "default login a password «s3»", "https://a:«b»@x/y", "amqp://a:«b»@x", "Server=x;Uid=sa;Pwd=«s3»;", "curl -H 'Authorization: Bearer «abcdefgh»' x", "curl -H 'X-Api-Key: «abcd»' x",
}

// open are commands in which nothing is taken out.
var open = []string{
	"docker run -p 8080:80 x", "mkdir -p a/b", "ssh -p 22 host", "cp -a x y", "grep -p x", "docker run -u 1000:1000 -p 80:80 x login", "docker compose -p shop up", "podman run -p 1:2 x", "mysql -u root -p", "mysql -uroot -p shop", "mysql --protocol tcp",
	"curl -U https://x", "curl -u \"$USER:$PASS\" x", "curl -u a:$(pass show x) x", "curl -d a=b -X POST x", "curl -uXY x", "sshpass -e ssh x", "sshpass -f file ssh a", "redis-cli ping", "openssl req -passin env:PW -in a", "openssl rand -hex 32", "echo hello | grep -p x", "echo hello | cat",
	"echo ok | sudo tee a", "git config user.name bob", "git commit -m 'fix the token' a.go", "npm config set registry https://x", "npm set audit false", "aws s3 cp a s3://b", "set -e", "set password policy", "htpasswd -c file bob", "zip -r a.zip b", "7z a a.7z b",
	"vault kv get secret/a", "vault login -method=oidc", "cargo login", "useradd -m bob", "sqlplus /nolog", "gh secret list", "gh pr create -b text", "go test -run Pass ./...", "PASS=$X ./run", "KEY=name sort", "SORT_KEY=created_at x", "SKIP=1 x", "MONKEY=banana x", "COMPASS=north x",
	"printf '%s' a | sort", "mongosh --port 27017", "unzip a.zip", "cat .netrc", "su - bob", "http GET x a=b", "net user", "ls -la # login", "the password is checked by the server", "tar -xpf a.tar", "rsync -avp a b", "mysql -h x < a.sql", "kubectl -n x get po",
}

// TestPasswordsOnCommandLines are taken out, and nothing else.
func TestPasswordsOnCommandLines(t *testing.T) {
	r := NewRedactor(nil)
	for _, text := range onCommandLines {
		var found []string
		got := r.Replace(unmarked(text), func(_, secret string) string { found = append(found, secret); return "#" })
		var want strings.Builder
		for i, part := range strings.Split(text, "«") {
			if _, rest, ok := strings.Cut(part, "»"); i > 0 && ok {
				part = "#" + rest
			}
			want.WriteString(part)
		}
		if got != want.String() {
			t.Errorf("%q: got %q (%q)", text, got, found)
		}
	}
	for _, text := range open {
		if got := r.Text(text); got != text {
			t.Errorf("%q: got %q", text, got)
		}
	}
}

func unmarked(text string) string { return strings.NewReplacer("«", "", "»", "").Replace(text) }

// pieces of texts that are masked in one way or another, alone or next to others.
func pieces() (all []string) {
	for _, text := range onCommandLines {
		all = append(all, unmarked(text))
	}
	r := rand.New(rand.NewPCG(5, 6))
	for _, s := range credentialSamples {
		all = append(all, fillSample(s.real, r))
	}
	all = append(all, open...)
	return append(all, "[redacted]", "[secret: github token]", "[secret: password in an address]", "[secret: hunter2]", "token=", "password: ", "secret", "://a:", "@", "Bearer ", "cookie: ", "authorization: basic ", "=", ":", "\"", "'", "\\", "\n", " ", ";", "|", "[", "]",
		"-----BEGIN PRIVATE KEY-----\nMIIEabc\n", "-----END PRIVATE KEY-----", "--api-key ", "eyJ", "key")
}

// TestMaskingTwiceIsMaskingOnce: what was taken out stays as it is told.
func TestMaskingTwiceIsMaskingOnce(t *testing.T) {
	all, r := pieces(), rand.New(rand.NewPCG(7, 8))
	redactor := NewRedactor([]string{"ssn", "x"})
	for range 20_000 {
		var b strings.Builder
		for range 1 + r.IntN(5) {
			b.WriteString(all[r.IntN(len(all))])
			b.WriteString([]string{"", " ", "\n", "; "}[r.IntN(4)])
		}
		idempotent(t, redactor, b.String())
	}
}

func idempotent(t *testing.T, r *Redactor, text string) {
	t.Helper()
	once := r.Text(text)
	if twice := r.Text(once); twice != once {
		t.Fatalf("%q is masked as\n%q, and that as\n%q", text, once, twice)
	}
}

func FuzzMaskingTwice(f *testing.F) {
	for _, text := range pieces() {
		f.Add(text)
	}
	r := NewRedactor([]string{"ssn"})
	f.Fuzz(func(t *testing.T, text string) { idempotent(t, r, text) })
}
