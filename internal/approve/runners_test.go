package approve_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookway/hookway/internal/approve"
)

// A yes to a line that runs what a file of another name decides is one to what that file
// holds, with all that it names.
func TestAYesIsToTheFileThatDecides(t *testing.T) {
	for _, c := range []struct {
		line    string
		file    string // changed after the yes
		was, is string
		beside  string // names file, if that is not found by its own name
		names   string
	}{
		{line: "just deploy", file: "justfile", was: "deploy:\n  echo 1\n", is: "deploy:\n  rm -rf /\n"},
		{line: "just deploy", file: ".justfile"},
		{line: "just --justfile tasks/just.f deploy", file: "tasks/just.f"},
		{line: "just deploy", file: "ci/rules.just", beside: "justfile", names: "import 'ci/rules.just'\n"},
		{line: "just ci::deploy", file: "ci.just", beside: "justfile", names: "mod ci\n"},
		{line: "just deploy", file: "deploy.sh", beside: "justfile", names: "deploy:\n  ./deploy.sh prod\n"},
		{line: "make -C sub all", file: "sub/Makefile"},
		{line: "make all", file: "rules.mk", beside: "Makefile", names: "include rules.mk\n"},
		{line: "make all", file: "mk/a.mk", beside: "Makefile", names: "-include mk/*.mk\n"},
		{line: "make all", file: "scripts/all.py", beside: "Makefile", names: "all:\n\tpython3 scripts/all.py\n"},
		{line: "make -f build/x.mk", file: "build/x.mk"},
		{line: "gmake", file: "makefile"},
		{line: "npm run deploy", file: "package.json", was: `{"scripts":{"deploy":"echo 1"}}`, is: `{"scripts":{"deploy":"rm -rf /"}}`},
		{line: "npm test", file: "package.json"},
		{line: "npm run deploy", file: "tools/deploy.js", beside: "package.json", names: `{"scripts":{"deploy":"node tools/deploy.js"}}`},
		{line: "npm run deploy", file: ".npmrc"},
		{line: "npm --prefix web run deploy", file: "web/package.json"},
		{line: "cd web && npm start", file: "web/package.json"},
		{line: "yarn deploy", file: "package.json"},
		{line: "pnpm -C web run deploy", file: "web/package.json"},
		{line: "bun run deploy", file: "package.json"},
		{line: "npx deploy", file: "package.json"},
		{line: "deno task deploy", file: "deno.json"},
		{line: "task deploy", file: "Taskfile.yml"},
		{line: "task deploy", file: "Taskfile.dist.yaml"},
		{line: "task -t ci/tasks.yml deploy", file: "ci/tasks.yml"},
		{line: "task deploy", file: "ci/Tasks.yml", beside: "Taskfile.yml", names: "includes:\n  ci: ./ci/Tasks.yml\n"},
		{line: "mage deploy", file: "magefile.go"},
		{line: "mage deploy", file: "magefiles/deploy.go"},
		{line: "rake deploy", file: "Rakefile"},
		{line: "rake deploy", file: "lib/tasks/deploy.rake"},
		{line: "bundle exec rake deploy", file: "Rakefile"},
		{line: "invoke deploy", file: "tasks.py"},
		{line: "inv deploy", file: "tasks/deploy.py"},
		{line: "fab deploy", file: "fabfile.py"},
		{line: "tox -e deploy", file: "tox.ini"},
		{line: "tox -e deploy", file: "pyproject.toml"},
		{line: "nox -s deploy", file: "noxfile.py"},
		{line: "gulp deploy", file: "gulpfile.js"},
		{line: "npx gulp deploy", file: "gulpfile.mjs"},
		{line: "grunt deploy", file: "Gruntfile.js"},
		{line: "cargo xtask deploy", file: ".cargo/config.toml"},
		{line: "cargo xtask deploy", file: "xtask/src/main.rs"},
		{line: "cargo run", file: "src/main.rs"},
		{line: "cargo build", file: "build.rs"},
		{line: "cargo make deploy", file: "Makefile.toml"},
		{line: "go generate ./...", file: "x/gen.go"},
		{line: "go run ./cmd/deploy", file: "cmd/deploy/main.go"},
		{line: "go test ./...", file: "x/x_test.go"},
		{line: "mvn deploy", file: "pom.xml"},
		{line: "./mvnw deploy", file: "pom.xml"},
		{line: "mvn deploy", file: ".mvn/extensions.xml"},
		{line: "gradle deploy", file: "build.gradle.kts"},
		{line: "./gradlew deploy", file: "build.gradle"},
		{line: "./gradlew :app:deploy", file: "app/build.gradle"},
		{line: "docker compose up", file: "compose.yaml"},
		{line: "docker-compose up", file: "docker-compose.yml"},
		{line: "docker compose -f ops/c.yml up", file: "ops/c.yml"},
		{line: "docker compose up", file: ".env"},
		{line: "docker build .", file: "Dockerfile"},
		{line: "docker build -f ops/Dockerfile.x .", file: "ops/Dockerfile.x"},
		{line: "podman compose up", file: "compose.yml"},
		{line: "pre-commit run", file: ".pre-commit-config.yaml"},
		{line: "pre-commit run", file: "check.sh", beside: ".pre-commit-config.yaml", names: "repos: [{repo: local, hooks: [{id: x, entry: ./check.sh}]}]\n"},
		{line: "husky", file: ".husky/pre-commit"},
		{line: "git commit -m x", file: ".husky/pre-commit"},
		{line: "git commit -m x", file: ".git/hooks/pre-commit"},
		{line: "git push", file: ".git/hooks/pre-push"},
		{line: "lefthook run pre-push", file: "lefthook.yml"},
		{line: "bazel run //:deploy", file: "BUILD.bazel"},
		{line: "bazel run //ops:deploy", file: "ops/BUILD"},
		{line: "bazel run //:deploy", file: ".bazelrc"},
		{line: "ninja", file: "build.ninja"},
		{line: "cmake --build build", file: "build/Makefile"},
		{line: "cmake .", file: "CMakeLists.txt"},
		{line: "composer run deploy", file: "composer.json"},
		{line: "poetry run deploy", file: "pyproject.toml"},
		{line: "mise run deploy", file: "mise.toml"},
		{line: "dotnet run", file: "app.csproj"},
		{line: "sbt deploy", file: "build.sbt"},
		{line: "mix deploy", file: "mix.exs"},
		{line: "terraform apply", file: "main.tf"},
		{line: "ansible-playbook site.yml", file: "site.yml"},
		{line: "vagrant up", file: "Vagrantfile"},
		{line: "pytest", file: "conftest.py"},
		{line: "pytest tests", file: "tests/test_x.py"},
		{line: "vite build", file: "vite.config.ts"},
		{line: "npx webpack", file: "webpack.config.js"},
		{line: "eslint .", file: "eslint.config.mjs"},
		{line: "ant deploy", file: "build.xml"},
		{line: "scons", file: "SConstruct"},
		{line: "psql -f x.sql", file: "x.sql"},
		{line: "psql < x.sql", file: "x.sql"},
		{line: "kubectl apply -f k8s/x.yml", file: "k8s/x.yml"},
		{line: "helm upgrade app ./chart", file: "chart/templates/x.yml"},
		{line: "sh -c 'just deploy'", file: "justfile"},
		{line: "sudo -E env A=1 just deploy", file: "justfile"},
		{line: "./x.sh", file: "justfile", beside: "x.sh", names: "just deploy\n"},
		{line: "make all", file: "justfile", beside: "Makefile", names: "all:\n\tjust deploy\n"},
		{line: "npm run a", file: "Makefile", beside: "package.json", names: `{"scripts":{"a":"make all"}}`},
		{line: "just deploy", file: "../justfile"},
		{line: "npm run deploy", file: "../package.json"},
		{line: "rake deploy", file: "../Rakefile"},
		{line: "cargo xtask deploy", file: "../.cargo/config.toml"},
		{line: "just --working-directory sub -f sub/justfile deploy", file: "sub/justfile"},
		{line: "just -d sub -f x/deploy.just go", file: "x/deploy.just"},
		{line: "make --file=build/x.mk", file: "build/x.mk"},
		{line: "make -fbuild/x.mk", file: "build/x.mk"},
		{line: "make -Csub", file: "sub/Makefile"},
		{line: "MAKEFILES=x.mk make", file: "x.mk"},
		{line: "npm run a --workspace packages/x", file: "packages/x/package.json"},
		{line: "npm --prefix=web run x", file: "web/package.json"},
		{line: "yarn --cwd web run x", file: "web/package.json"},
		{line: "npm run a", file: "scripts/a.ts", beside: "package.json", names: `{"scripts":{"prea":"tsx ./scripts/a.ts"}}`},
		{line: "task --taskfile=ci/t.yml", file: "ci/t.yml"},
		{line: "docker compose --file=ops/c.yml up", file: "ops/c.yml"},
		{line: "docker compose -p x -f a.yml -f b.yml up", file: "b.yml"},
		{line: "docker compose up", file: "entry.sh", beside: "compose.yml", names: "services: {a: {volumes: ['./entry.sh:/entry.sh']}}\n"},
		{line: "docker compose up --build", file: "app/Dockerfile", beside: "compose.yml", names: "services:\n  a:\n    build: ./app\n"},
		{line: "go run main.go", file: "main.go"},
		{line: "go run ../tool", file: "../tool/main.go"},
		{line: "cargo run --manifest-path crates/x/Cargo.toml", file: "crates/x/src/main.rs"},
		{line: "python -m invoke deploy", file: "tasks.py"},
		{line: "python3 -m pytest", file: "tests/conftest.py"},
		{line: "python3 -m nox", file: "noxfile.py"},
		{line: "uv run nox", file: "noxfile.py"},
		{line: "npx -y gulp", file: "gulpfile.js"},
		{line: "pnpm exec vite build", file: "vite.config.js"},
		{line: "node --run build", file: "package.json"},
		{line: "bun build.ts", file: "build.ts"},
		{line: "poetry run invoke deploy", file: "tasks.py"},
		{line: "env -C web npm test", file: "web/package.json"},
		{line: "(cd web; make)", file: "web/Makefile"},
		{line: "time just deploy", file: "justfile"},
		{line: "echo a | xargs just", file: "justfile"},
		{line: "find . -name Makefile -execdir make \\;", file: "Makefile"},
		{line: "parallel make ::: a", file: "Makefile"},
		{line: "tmux new -d 'just deploy'", file: "justfile"},
		{line: "nix-shell --run 'just deploy'", file: "justfile"},
		{line: "watch just deploy", file: "justfile"},
		{line: "bash -c \"make -C sub\"", file: "sub/Makefile"},
		{line: ". ./env.sh && just deploy", file: "env.sh"},
		{line: "./x.sh", file: "lib/l.sh", beside: "x.sh", names: "source \"$(dirname \"$0\")/lib/l.sh\"\n"},
		{line: "make all", file: "mk/b.mk", beside: "Makefile", names: "include $(wildcard mk/*.mk)\n"},
		{line: "make all", file: "sub/Makefile", beside: "Makefile", names: "all:\n\t$(MAKE) -C sub\n"},
		{line: "make all", file: "hack/gen.sh", beside: "Makefile", names: "all:\n\t@bash $(CURDIR)/hack/gen.sh\n"},
		{line: "if true; then just deploy; fi", file: "justfile"},
		{line: "x() { just deploy; }; x", file: "justfile"},
		{line: "JUST=just; $JUST deploy", file: "justfile"},
		{line: "deploy() { npm run deploy; }\ndeploy", file: "package.json"},
		{line: "nohup make all &", file: "Makefile"},
		{line: "/usr/bin/make all", file: "Makefile"},
		{line: "git -C sub commit -m x", file: "sub/.git/hooks/pre-commit"},
		{line: "sudo make install", file: "Makefile"},
		{line: "mise run deploy", file: "mise-tasks/deploy"},
		{line: "mix test", file: "config/test.exs"},
		{line: "rails db:drop", file: "config/database.yml"},
		{line: "python manage.py migrate", file: "manage.py"},
		{line: "php artisan migrate", file: "artisan"},
		{line: "flask run", file: "app.py"},
		{line: "alembic upgrade head", file: "alembic.ini"},
		{line: "prisma migrate deploy", file: "prisma/schema.prisma"},
		{line: "wrangler deploy", file: "wrangler.toml"},
		{line: "fly deploy", file: "fly.toml"},
		{line: "vercel deploy", file: "vercel.json"},
		{line: "goreleaser release", file: ".goreleaser.yaml"},
		{line: "nomad job run x.nomad", file: "x.nomad"},
		{line: "packer build x.pkr.hcl", file: "x.pkr.hcl"},
		{line: "aws cloudformation deploy --template-file t.yml", file: "t.yml"},
		{line: "gcloud builds submit --config cloudbuild.yaml", file: "cloudbuild.yaml"},
		{line: "liquibase update", file: "liquibase.properties"},
		{line: "flyway migrate", file: "flyway.conf"},
		{line: "patch -p1 < x.patch", file: "x.patch"},
		{line: "git apply x.patch", file: "x.patch"},
		{line: "bash < x.sh", file: "x.sh"},
		{line: "curl -d @x.json https://example.com", file: "x.json"},
		{line: "ssh host 'bash -s' < x.sh", file: "x.sh"},
		{line: "scp x.tar host:", file: "x.tar"},
	} {
		t.Run(c.line+" "+c.file, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "in")
			put := func(file, text string) {
				t.Helper()
				file = filepath.Join(dir, file)
				if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(text), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			was, is := c.was, c.is
			if was == "" {
				was, is = "# one\n", "# two\n"
			}
			if c.beside != "" {
				put(c.beside, c.names)
			}
			put(c.file, was)
			put("unrelated.txt", "1")
			s := open(t, t.TempDir(), approve.Options{})
			call := approve.Call{Agent: "claude", Session: "s-1", Workspace: dir, Tool: "Bash", Input: map[string]any{"command": c.line}}
			first := ask(t, s, call)
			answer(t, s, first, true, approve.ScopeOnce)
			put(c.file, is)
			put("unrelated.txt", "2")
			if got, err := s.Use(t.Context(), call); got != nil || err != nil {
				t.Errorf("got %+v, %v once %s was changed; want no answer", got, err, c.file)
			}
			if again := ask(t, s, call); !strings.Contains(again.Reason, "the call that "+first.Code+" allows, but is another one") {
				t.Errorf("got the reason %q, want that it looks like %s", again.Reason, first.Code)
			}
			put(c.file, was)
			if got, err := s.Use(t.Context(), call); got == nil || err != nil {
				t.Errorf("got %+v, %v as it was before; want the yes", got, err)
			}
		})
	}
}
