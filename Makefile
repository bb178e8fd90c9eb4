# SPDX-License-Identifier: GPL-2.0
# Build, run, test and measure the series. 'make help' tells how.
#
# KDIR=   another Linux 6.12 source tree (base/sublevel: how late) instead of Debian's package
# JOBS=   compile jobs (the number of CPUs plus one)
# VM_ACCEL= kvm, for guests where KVM works (emulation)
# BUDGET= seconds after which make test begins nothing that can be done without (no limit)

export KDIR JOBS VM_ACCEL

MAKEFLAGS += --no-print-directory
VM = harness/vm/run
OUT = out

.PHONY: help
help:
	@echo 'A new ftrace for Linux 6.12, as a patch series.'
	@echo
	@echo '  make run        build the kernel, boot it, watch it trace schedule()'
	@echo '                  (ARCH=arm64, here and below: cross-compiled, emulated)'
	@echo '  make shell      a prompt in the guest (exit or Ctrl-A X leaves);'
	@echo '                  IN=DIR: what DIR holds is in /in there'
	@echo '  make test       the tests of x86_64; the last line counts them. ARCH=arm64'
	@echo '                  those of arm64, ARCH=all both. What takes long is below'
	@echo '  make test-debug the cases on the kernel with lockdep and KASAN (ARCH=arm64: some'
	@echo '                  of them, with KASLR)'
	@echo '  make test-recorders  kernels whose sites objtool or the compiler recorded,'
	@echo '                  with KASLR and call depth tracking, or frame pointers'
	@echo '  make test-static  a kernel without CONFIG_DYNAMIC_FTRACE'
	@echo '  make test-bare  arm64 without room for a literal in front of functions, with gcc'
	@echo '                  and, with all that protects calls and returns, with clang;'
	@echo '                  and with calls of _mcount behind the prologues of functions'
	@echo '  make test-debian  the configuration of Debian'"'"'s cloud kernel, on two CPUs'
	@echo '                  (or ARCH=arm64)'
	@echo '  make test-configs  compile under 19 configurations of 8 architectures'
	@echo '                  and 20 random ones'
	@echo '  make kunit      only the KUnit suites, on UML; ARCH=arm64 those of a guest'
	@echo '  make selftest   only ftracetest; CASES="test.d/..." for some of them,'
	@echo '                  ARCH=debug for the kernel with lockdep and KASAN, or arm64'
	@echo '  make bench      instructions of stock and ours, in out/bench-x86_64.tsv, or with'
	@echo '                  ARCH=arm64 those of arm64'
	@echo '  make bench-scale  how the cost grows with names, ops, instances, CPUs, events, pages'
	@echo '  make bench-ring-buffer   instructions and nanoseconds of both ring buffers, on UML'
	@echo '  make ring-buffer-test   the ring buffer in user space, with sanitizers;'
	@echo '                  LONG=1 takes hours: 10^9 events; LONG=N takes N events'
	@echo '  make torture    HOURS=4 of torture and stress in pieces of 20 minutes, each with'
	@echo '                  another seed; goes on where it was interrupted'
	@echo '  make mutants    change a line, see a test fail, for each of a list; takes hours'
	@echo '  make coverage   which lines the suites and cases execute, in out/coverage/'
	@echo '  make coverage-uml  the same of the suites on UML alone, in minutes'
	@echo '  make model      spin explores the model of the ring buffer'
	@echo '  make series     the mailable patches, in out/series/'
	@echo '  make clean      remove out/, where all of this happens'
	@echo
	@echo '  make packages   install all Debian packages at once'
	@echo '  make tree       compose the working tree, out/tree'
	@echo '  make build      out/x86_64/: kernel, modules, root file system'
	@echo '  make debug      the same with lockdep, KASAN, kmemleak: out/debug/'
	@echo
	@echo 'KDIR=DIR uses your Linux 6.12 tree instead of the package'
	@echo 'linux-source-6.12. Needed Debian packages are installed on the way (as'
	@echo 'root or with sudo; else the command to do so is printed). Whatever was'
	@echo 'interrupted goes on where it stopped.'

.PHONY: python
python:
	@command -v python3 >/dev/null || harness/need python3

.PHONY: packages
packages:
	@harness/need --all && echo 'packages: all are installed'

.PHONY: tree
tree: python
	@harness/tree $(OUT)/tree

.PHONY: build
build: tree
	@harness/build x86_64
	@harness/vm/rootfs --tree $(OUT)/tree --modules $(OUT)/x86_64/modules \
		$(OUT)/x86_64/rootfs.cpio.gz

.PHONY: debug
debug: tree
	@harness/build debug
	@harness/vm/rootfs --tree $(OUT)/tree --modules $(OUT)/debug/modules \
		$(OUT)/debug/rootfs.cpio.gz

.PHONY: arm64
arm64: tree
	@harness/build arm64
	@harness/vm/rootfs --arch arm64 --tree $(OUT)/tree --modules $(OUT)/arm64/modules \
		$(OUT)/arm64/rootfs.cpio.gz

# The kernel that runs, a folder of OUT.
ARCH ?= x86_64
ifneq ($(filter-out x86_64 arm64 debug all,$(ARCH)),)
$(error ARCH=$(ARCH): x86_64, arm64, debug, or for 'make test' all)
endif
BUILT = $(if $(filter debug arm64,$(ARCH)),$(ARCH),build)

.PHONY: run
run: $(BUILT)
	@echo 'run: booting $(OUT)/$(ARCH)/kernel'
	@rm -rf $(OUT)/run
	@$(VM) $(ARCH) --quiet --no-warnings --in harness/guest --out $(OUT)/run \
		--log $(OUT)/log/run.log -- sh /in/demo; \
	status=$$?; cat $(OUT)/run/report 2>/dev/null; exit $$status

.PHONY: shell
shell: $(BUILT)
	@$(VM) $(ARCH) --shell $(if $(IN),--in '$(IN)')

.PHONY: test
test: python
	$(if $(filter debug,$(ARCH)),$(error 'make test-debug' tests ARCH=debug))
	@harness/test $(if $(filter arm64 all,$(ARCH)),--arch $(ARCH)) $(if $(BUDGET),--budget $(BUDGET))

.PHONY: test-debug
test-debug: python
	@harness/test tree $(if $(filter arm64,$(ARCH)),build-arm64-debug kunit-arm64-debug \
		selftest-arm64-debug torture-arm64-debug,build-debug kunit-debug kdb-debug \
		selftest-debug-1 selftest-debug-2)

.PHONY: test-recorders
test-recorders: python
	@harness/test tree build-objtool build-compiler selftest-objtool selftest-compiler

.PHONY: test-static
test-static: python
	@harness/test tree build-static selftest-static

.PHONY: test-bare
test-bare: python
	@harness/test tree build-arm64-bare kunit-arm64-bare selftest-arm64-bare \
		build-arm64-mcount kunit-arm64-mcount selftest-arm64-mcount \
		build-arm64-cfi kunit-arm64-cfi selftest-arm64-cfi

.PHONY: test-debian
test-debian: python
	@harness/test tree $(if $(filter arm64,$(ARCH)),build-arm64-debian boots-arm64-debian,\
		build-debian boots-debian)

.PHONY: test-configs
test-configs: tree
	@harness/configs all

.PHONY: kunit
kunit: $(if $(filter arm64,$(ARCH)),arm64,tree)
	@$(if $(filter arm64,$(ARCH)),harness/vm/kunit $(ARCH),harness/kunit)

CASES ?=
.PHONY: selftest
selftest: $(BUILT)
	@harness/selftest $(ARCH) $(CASES)

.PHONY: bench
bench: tree
	@harness/bench/run$(if $(filter arm64,$(ARCH)), --arch arm64)

.PHONY: bench-scale
bench-scale: tree
	@harness/bench/scale$(if $(filter arm64,$(ARCH)), --arch arm64)

.PHONY: bench-ring-buffer
bench-ring-buffer:
	@harness/bench/ring_buffer

.PHONY: ring-buffer-test
ring-buffer-test: tree
	@tools/testing/ring-buffer/run $(if $(LONG),--long$(if $(filter-out 1,$(LONG)),=$(LONG)))

HOURS = 4
.PHONY: torture
torture: $(BUILT)
	@harness/torture --hours $(HOURS) $(ARCH)

.PHONY: mutants
mutants: tree
	@harness/mutants/run

.PHONY: coverage
coverage: tree
	@harness/coverage

.PHONY: coverage-uml
coverage-uml: tree
	@harness/coverage --uml

.PHONY: model
model:
	@harness/model/run

.PHONY: series
series: python
	@harness/series

.PHONY: clean
clean:
	rm -rf $(OUT)
