{
  description = "sdl: a live ledger of symbols for coding agents";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixpkgs-unstable";

  # The flake is in a subfolder, so name it: nix build '.?dir=packaging/nix'
  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
      forEach = nixpkgs.lib.genAttrs systems;
      root = ../..;
      manifest = builtins.fromTOML (builtins.readFile (root + "/Cargo.toml"));
      version = manifest.workspace.package.version;

      packageFor = pkgs:
        let
          # sdl-ui has the page inside. Here npm makes it, because builds have no network.
          page = pkgs.buildNpmPackage {
            pname = "sdl-page";
            inherit version;
            src = root + "/client/ui/page";
            npmDeps = pkgs.importNpmLock { npmRoot = root + "/client/ui/page"; };
            npmConfigHook = pkgs.importNpmLock.npmConfigHook;
            installPhase = ''
              install -D build/page.html $out/index.html
            '';
          };
        in
        pkgs.rustPlatform.buildRustPackage {
          pname = "sdl-ledger";
          inherit version;
          src = root;
          cargoLock.lockFile = root + "/Cargo.lock";
          nativeBuildInputs = [ pkgs.installShellFiles ];
          # As .cargo/config.toml sets it: always the LMDB that comes with the crate.
          env.LIBLMDB_NO_PKG_CONFIG = "1";
          preBuild = ''
            install -D ${page}/index.html client/ui/page/dist/index.html
          '';
          cargoBuildFlags = nixpkgs.lib.concatMap (name: [ "--package" name ]) [
            "sdld"
            "sdl-gate"
            "sdl-mcp"
            "sdl-http"
            "sdl-ui"
            "sdl-share"
            "sdlctl"
          ];
          # The tests start daemons and watch folders; `cargo xtask test` runs them.
          doCheck = false;
          postInstall = nixpkgs.lib.optionalString (pkgs.stdenv.buildPlatform.canExecute pkgs.stdenv.hostPlatform) ''
            $out/bin/sdlctl man man1
            installManPage man1/*.1 packaging/linux/man/*.1
            for shell in bash zsh fish; do
              $out/bin/sdlctl completions $shell > sdlctl.$shell
              installShellCompletion --cmd sdlctl --$shell sdlctl.$shell
            done
          '';
          meta = {
            description = "Live ledger of symbols for coding agents, over MCP";
            license = with nixpkgs.lib.licenses; [ mit asl20 ];
            mainProgram = "sdl-mcp";
          };
        };
    in
    {
      packages = forEach (system: rec {
        sdl-ledger = packageFor nixpkgs.legacyPackages.${system};
        default = sdl-ledger;
      });
    };
}
