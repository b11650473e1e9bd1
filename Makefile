# make demo   builds hookway and shows what it does, in under a minute
# make test   everything that must hold: the same as .ci/run
# make build  bin/hookway

GO ?= go
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
FUZZTIME ?= 5s

.PHONY: build install demo test fuzz bench schema

build:
	$(GO) build -trimpath -ldflags='-s -w' -o bin/ ./cmd/...

install:
	$(GO) install ./cmd/...

demo: build
	@PATH="$(CURDIR)/bin:$$PATH" sh demo/demo.sh

test:
	@sh tools/check.sh

# New inputs for every parser of outside text; the seeds run with make test.
fuzz:
	@sh tools/fuzz.sh $(FUZZTIME)

bench:
	$(GO) test -run '^$$' -bench . -benchmem ./hook ./wire ./handler/command ./internal/directive ./internal/terminal

# The checked-in JSON Schemas, and all golden files, made anew.
schema:
	$(GO) test ./wire ./internal/config ./internal/cases -update
