// Builds the system call filter of a run: calls that reach other processes, mounts, keys or rarely tested parts of the kernel fail with
// EPERM. So do calls that create memory which no process shows as its own.

const LOAD = 0x20;
const EQUAL = 0x15;
const AT_LEAST = 0x35;
const RETURN = 0x06;
const ALLOW = 0x7fff0000;
const KILL = 0x80000000;
const EPERM = 0x00050001;
/** Offsets in `struct seccomp_data`. */
const NUMBER = 0;
const ARCHITECTURE = 4;
/** Calls with this bit use the x32 interface, whose numbers differ. */
const X32 = 0x40000000;

/** Numbers by the name of the call, as in the kernel's tables. */
const CALLS = {
  x64: {
    ptrace: 101,
    process_vm_readv: 310,
    process_vm_writev: 311,
    kcmp: 312,
    pidfd_getfd: 438,
    process_madvise: 440,
    mount: 165,
    umount2: 166,
    pivot_root: 155,
    move_mount: 429,
    open_tree: 428,
    fsopen: 430,
    fsmount: 432,
    fspick: 433,
    mount_setattr: 442,
    chroot: 161,
    unshare: 272,
    setns: 308,
    keyctl: 250,
    add_key: 248,
    request_key: 249,
    bpf: 321,
    perf_event_open: 298,
    userfaultfd: 323,
    io_uring_setup: 425,
    io_uring_enter: 426,
    io_uring_register: 427,
    kexec_load: 246,
    kexec_file_load: 320,
    init_module: 175,
    finit_module: 313,
    delete_module: 176,
    reboot: 169,
    swapon: 167,
    swapoff: 168,
    syslog: 103,
    acct: 163,
    quotactl: 179,
    open_by_handle_at: 304,
    name_to_handle_at: 303,
    lookup_dcookie: 212,
    personality: 135,
    iopl: 172,
    ioperm: 173,
    shmget: 29,
    memfd_create: 319,
    memfd_secret: 447,
  },
  arm64: {
    ptrace: 117,
    process_vm_readv: 270,
    process_vm_writev: 271,
    kcmp: 272,
    pidfd_getfd: 438,
    process_madvise: 440,
    mount: 40,
    umount2: 39,
    pivot_root: 41,
    move_mount: 429,
    open_tree: 428,
    fsopen: 430,
    fsmount: 432,
    fspick: 433,
    mount_setattr: 442,
    chroot: 51,
    unshare: 97,
    setns: 268,
    keyctl: 219,
    add_key: 217,
    request_key: 218,
    bpf: 280,
    perf_event_open: 241,
    userfaultfd: 282,
    io_uring_setup: 425,
    io_uring_enter: 426,
    io_uring_register: 427,
    kexec_load: 104,
    kexec_file_load: 294,
    init_module: 105,
    finit_module: 273,
    delete_module: 106,
    reboot: 142,
    swapon: 224,
    swapoff: 225,
    syslog: 116,
    acct: 89,
    quotactl: 60,
    open_by_handle_at: 265,
    name_to_handle_at: 264,
    lookup_dcookie: 18,
    personality: 92,
    shmget: 194,
    memfd_create: 279,
    memfd_secret: 447,
  },
};
const ARCHITECTURES = { x64: 0xc000003e, arm64: 0xc00000b7 };

/** Returns the filter program for bubblewrap, or `null` on another architecture, where nothing must run. */
export function systemCallFilter(architecture = process.arch) {
  const calls = CALLS[architecture];
  if (calls === undefined) return null;
  const numbers = Object.values(calls);
  const refuse = [RETURN, 0, 0, EPERM];
  const program = [
    [LOAD, 0, 0, ARCHITECTURE],
    [EQUAL, 1, 0, ARCHITECTURES[architecture]],
    [RETURN, 0, 0, KILL],
    [LOAD, 0, 0, NUMBER],
    [AT_LEAST, 0, 1, X32],
    refuse,
    // Each jump goes to the instruction that refuses, behind the one that allows.
    ...numbers.map((number, at) => [EQUAL, numbers.length - at, 0, number]),
    [RETURN, 0, 0, ALLOW],
    refuse,
  ];
  const bytes = Buffer.alloc(program.length * 8);
  for (const [at, [code, yes, no, value]] of program.entries()) {
    bytes.writeUInt16LE(code, at * 8);
    bytes.writeUInt8(yes, at * 8 + 2);
    bytes.writeUInt8(no, at * 8 + 3);
    bytes.writeUInt32LE(value, at * 8 + 4);
  }
  return bytes;
}
