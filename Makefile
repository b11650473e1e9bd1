# make demo   builds hookway and shows what it does, in under a minute
# make check  what tells the most in two minutes, from what is cached
# make test   everything that must hold: the same as .ci/run
# make proof  what takes longer or needs the network; a table of what was seen (docs/proof.md)
# make build  bin/hookway
# make guests  the example hooks in WebAssembly, from their sources
# make rust-guest  the one in Rust, by rustc with its target wasm32-unknown-unknown
# make prelude  the bytecode of what scripts find built in, from handler/script/js
# make page  what the daemon serves to browsers, from internal/page/src
# make proto  the Go code of proto/hookway/v1/hooks.proto
# make check-ollama  embeddings of a real Ollama, which is built once
# make bench-handlers, bench-memory, bench-relay, bench-run   what hookway costs on this machine
# make e2e    the published Claude Code and Codex with hookway, against a scripted model

GO ?= go
FUZZTIME ?= 5s
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)

# The programs need no C library: they run on any system of their kind, as they are.
export CGO_ENABLED = 0

BENCHES := bench-handlers bench-memory bench-relay bench-run

.PHONY: build install demo check test proof check-ollama guests rust-guest prelude page proto e2e fuzz bench $(BENCHES) schema

build:
	$(GO) build -trimpath -tags grpcnotrace -ldflags='-s -w -X main.version=$(VERSION)' -o bin/ ./cmd/...

install:
	$(GO) install ./cmd/...

demo: build
	@PATH="$(CURDIR)/bin:$$PATH" sh demo/demo.sh

check:
	@sh tools/check.sh quick

test:
	@sh tools/check.sh

# ROWS=a,b runs some of its rows, PAGE=docs/proof.md writes the table there.
proof:
	@$(GO) run ./tools/proof $(if $(ROWS),-rows $(ROWS)) $(if $(PAGE),-page $(PAGE))

# The one in Go has 2 MB and is not checked in; the tests build it themselves.
guests:
	$(GO) run ./handler/wasm/testdata/assemble handler/wasm/testdata/guests/wat/guard.wat handler/wasm/testdata/guests/wat/guard.wasm
	cd handler/wasm/testdata/guests/go && GOOS=wasip1 GOARCH=wasm $(GO) build -trimpath -buildmode=c-shared -ldflags='-s -w' -o $(CURDIR)/bin/exam.wasm .

# rustc 1.95.0 makes the very file that is checked in, wherever it runs; it would
# leave it executable.
RUST_GUEST := handler/wasm/testdata/guests/rust/guard
rust-guest:
	rustc --edition 2021 --target wasm32-unknown-unknown --crate-type cdylib -O -C panic=abort -C strip=symbols -C codegen-units=1 --remap-path-prefix $(CURDIR)=. -o $(RUST_GUEST).wasm $(RUST_GUEST).rs
	chmod 644 $(RUST_GUEST).wasm

prelude:
	$(GO) test ./handler/script -run TestThePreludeIsOfItsSources -update

page:
	$(GO) test ./internal/page -run TestThePageIsOfItsSources -update

BUF := github.com/bufbuild/buf/cmd/buf@v1.75.0

proto:
	cd proto && $(GO) run $(BUF) format -w && $(GO) run $(BUF) lint && $(GO) run $(BUF) generate

# Real agents; see docs/e2e.md. Skipped, with a word, where npm reaches nothing.
e2e:
	@sh tools/e2e.sh

# Not a part of make test: to build Ollama takes minutes.
check-ollama:
	@sh tools/ollama.sh

# New inputs for every parser of outside text; the seeds run with make test.
fuzz:
	@sh tools/fuzz.sh $(FUZZTIME)

bench:
	$(GO) test -run '^$$' -bench . -benchmem ./hook ./wire ./handler/command ./handler/script ./handler/web ./handler/rpc ./handler/wasm ./internal/api ./internal/directive ./internal/terminal ./internal/memory ./internal/relay ./internal/relay/bus ./internal/gateway/spool

# ARGS="-n 100 --json" gives it flags; ARGS=--help shows them.
$(BENCHES):
	@sh tools/bench.sh $(@:bench-%=%) $(ARGS)

# The checked-in JSON Schemas, and all golden files, made anew.
schema:
	$(GO) test ./wire ./internal/config ./internal/cases ./sdk/python ./sdk/typescript -update
