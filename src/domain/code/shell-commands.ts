// Lists the commands that shell scripts can use, and finds the commands in a shell text that are missing. Runs nothing.

import { readShell } from "./shell-text";

const names = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Commands of the shell itself. */
export const SHELL_BUILTINS = names(`
  : . [ alias break builtin cd command compgen complete compopt continue declare dirs echo eval exec exit export false getopts
  hash help history let local mapfile popd printf pushd pwd read readarray readonly return set shift shopt source test true type
  typeset unalias unset wait
`);

/** Programs in the shell's isolate, and the two other languages. A test compares the list with the implementation. */
export const SHELL_PROGRAMS = names(`
  awk base64 basename bash cat chmod chown clear column comm cp cut date diff dirname du egrep env envsubst expand expr fgrep
  file find fold grep groups gunzip gzip head hostname html-to-markdown id install jobs join jq kill ln ls md5sum mkdir
  mktemp mv nl node nproc od paste printenv ps python python3 readlink realpath rev rg rm rmdir sed seq sh sha1sum sha256sum
  shuf sleep sort split stat strings stty sync tac tail tar tee time timeout times touch tput tr trap tree truncate tty ulimit umask
  uname unexpand uniq wc which whoami xargs yes zcat
`);

/** Common programs that are not available: they need a network, other programs or a machine to administer. */
export const ABSENT_PROGRAMS = names(`
  7z adb afplay age airflow ansible ansible-playbook apk apt apt-get aptitude aria2c asdf aws az bat bazel bc blkid brew btop
  bun bundle bunx bzip2 caffeinate cargo cc chezmoi claude clang clawdbot cmake codex composer conda convert cosign cron
  crontab curl cwebp dart defaults deno dig diskutil dmesg dnf docker docker-compose dotnet dpkg eslint exiftool fd ffmpeg ffplay
  ffprobe firebase flutter flyctl free fswatch fzf g++ gawk gcc gcloud gdb gem gemini getent ggrep gh git gitleaks glab go gofmt golangci-lint
  gpg gpg2 gradle groovy gs gsed gsutil heroku helm hexdump host htop http httpd httpie iconv ifconfig identify ifstat inkscape
  inotifywait ip iptables java javac journalctl just k6 k9s kind kotlin kubectl kubectx kustomize launchctl ldd libreoffice
  lsblk lscpu lsof lua magick mail make man mdfind meson microk8s minikube mise mogrify mongo mongosh mount mpv msmtp mtr mvn mysql
  mysqldump nano nc ncat neonctl netlify netstat nft nginx ngrok ninja nix nix-shell nmap notify-send npm npx nslookup nvidia-smi nvim nvm
  objdump ocrmypdf ollama open openclaw openssl opkg osascript packer pacman pandoc parallel pass passwd patch pbcopy pbpaste
  pdftoppm pdftotext perl pg_dump pg_restore php ping pip pip3 pipenv pipx pkill pgrep pm2 pnpm podman poetry pre-commit prettier
  prisma protoc psql pulumi pwsh pyenv pytest qemu rails rake rbenv rclone redis-cli reboot restic rmate rpm rsync ruby ruff rustc rustup
  say scp screen script semgrep sendmail service sf sfdx sftp shellcheck shfmt shutdown skopeo snap socat sops sox sqlite3 ssh ssh-add
  ssh-agent ssh-keygen sshpass strace su sudo supabase svn swift sw_vers systemctl tailscale telnet terraform tesseract tmux top
  traceroute trivy ts-node tsc tsx tshark uv uvx vagrant vault vercel vi vim virtualenv vite vitest watch watchman wget wkhtmltopdf
  wl-copy wl-paste wrangler xcode-select xcodebuild xclip xdg-open xsel xxd xz yarn yq yt-dlp yum zip unzip zoxide zsh zstd
`);

export interface MissingCommand {
  command: string;
  /** Line of the first use, from 1. */
  line: number;
}

/**
 * Returns the commands in a shell text that are not available, without duplicates, in the order of their lines. Heredocs, comments and
 * arguments are not commands, and neither are functions and aliases that the text defines. If the text sources other files, which may
 * define more, only programs known to be absent are returned.
 */
export function missingCommands(text: string): MissingCommand[] {
  const { commands, defined, sources } = readShell(text);
  const found = new Map<string, MissingCommand>();
  for (const { command, line } of commands) {
    const name = command.replace(/^(?:\/usr(?:\/local)?)?\/s?bin\//, "");
    // A path refers to a file of the package or to one that the script writes.
    if (name.includes("/") || name === "" || found.has(name) || defined.has(name)) continue;
    if (SHELL_BUILTINS.has(name) || SHELL_PROGRAMS.has(name)) continue;
    if (sources && !ABSENT_PROGRAMS.has(name)) continue;
    found.set(name, { command: name, line });
  }
  return [...found.values()];
}
