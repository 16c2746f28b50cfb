# Filled in by packaging/release/fill.py: the version, the repository, and the hash of each archive.
class SdlLedger < Formula
  desc "Exact code for coding agents: a live ledger of symbols, over MCP"
  homepage "https://github.com/@REPOSITORY@"
  version "@VERSION@"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    on_arm do
      url "@BASE_URL@/sdl-@VERSION@-aarch64-macos.tar.gz"
      sha256 "@SHA256:aarch64-macos.tar.gz@"
    end
    on_intel do
      url "@BASE_URL@/sdl-@VERSION@-x86_64-macos.tar.gz"
      sha256 "@SHA256:x86_64-macos.tar.gz@"
    end
  end

  # The static builds, because Homebrew runs on systems with any glibc.
  on_linux do
    on_arm do
      url "@BASE_URL@/sdl-@VERSION@-aarch64-linux-musl.tar.gz"
      sha256 "@SHA256:aarch64-linux-musl.tar.gz@"
    end
    on_intel do
      url "@BASE_URL@/sdl-@VERSION@-x86_64-linux-musl.tar.gz"
      sha256 "@SHA256:x86_64-linux-musl.tar.gz@"
    end
  end

  def install
    bin.install Dir["bin/*"]
    man1.install Dir["man/man1/*.1"]
    bash_completion.install "completions/sdlctl.bash" => "sdlctl"
    zsh_completion.install "completions/_sdlctl"
    fish_completion.install "completions/sdlctl.fish"
  end

  def caveats
    <<~TEXT
      Add sdl to the MCP clients that you have:  sdlctl setup
      Start the daemon at login:                 sdlctl service install
    TEXT
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/sdlctl --version")
    assert_match version.to_s, shell_output("#{bin}/sdl-mcp --version")
  end
end
