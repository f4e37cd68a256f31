# The commands of this project. `make test` is what CI runs.
GO ?= go
SHELL = /bin/bash -o pipefail
export CGO_ENABLED = 0
# What is built in one directory is then worth something in another one, such as that of pre-commit.
export GOFLAGS ?= -trimpath
# Test data that is too large for the repository; tests that need it say so when it is not there.
export BUNRAKU_SHARED ?= $(abspath ../shared)

.PHONY: test unit short setup check-format check-vet check-tidy score accept bench build dist web vscode

# test installs what the tests need where it can (Debian, as root), then runs everything.
test: setup check-format check-vet check-tidy unit

build:
	$(GO) build -trimpath -o bin/bunraku ./cmd/bunraku

# dist writes what people download to dist/: archives, packages, a bill of materials, checksums. Two runs write the same.
dist:
	$(GO) run ./packaging -out dist

# web builds the browser's pages anew from web/ui (needs node); what it writes is committed, so that go build needs none.
web:
	@sh web/ui/build.sh

setup:
	@sh bench/setup.sh

unit:
	$(GO) test -timeout 60m -json ./... | $(GO) run ./internal/summary

# short is hermetic: it needs nothing but Go and replays what real Puppet answered.
short:
	$(GO) test -short -timeout 60m -json ./... | $(GO) run ./internal/summary

check-format:
	@bad=$$(gofmt -l .); if [ -n "$$bad" ]; then echo "not gofmt-ed:"; echo "$$bad"; exit 1; fi

check-vet:
	$(GO) vet ./...
	$(GO) tool staticcheck ./...

check-tidy:
	$(GO) mod tidy -diff

# score prints every count we track: ours/total.
score: setup
	@$(GO) test -count=1 -run 'Score' -v ./... 2>&1 | sed -n 's/.*score: //p'

# accept TOPIC=… runs the bars of one topic, each figure beside its bar, and fails when one is missed.
accept: setup
	@sh bench/accept.sh $(TOPIC)

bench: setup
	$(GO) test -run '^$$' -bench . -benchmem ./...

# vscode packages the extension for VS Code; it needs node.
vscode:
	cd editors/vscode && npm ci --no-audit --no-fund && npm run package
