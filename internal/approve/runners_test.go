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
