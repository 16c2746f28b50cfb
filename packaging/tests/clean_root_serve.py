"""Serves packages on this machine, in place of a release and of a registry. Other tests import it."""

import base64
import functools
import hashlib
import http.server
import json
import tarfile
import threading
import urllib.parse


def packuments(folder, address):
    """What a registry says of the npm packages in a folder, by name."""
    found = {}
    for file in folder.glob("*.tgz"):
        with tarfile.open(file) as archive:
            manifest = json.load(archive.extractfile("package/package.json"))
        digest = base64.b64encode(hashlib.sha512(file.read_bytes()).digest()).decode()
        version = {**manifest, "dist": {"tarball": f"{address}/{file.name}", "integrity": f"sha512-{digest}"}}
        latest = manifest["version"]
        found[manifest["name"]] = {"name": manifest["name"], "dist-tags": {"latest": latest}, "versions": {latest: version}}
    return found


def serve(folder):
    """Serves a folder on this machine, in place of a release and of a registry that has our packages. Gives the server and its address."""

    class Release(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_args):
            pass

        def do_GET(self):
            known = self.server.known.get(urllib.parse.unquote(self.path).lstrip("/"))
            if known is None:
                return super().do_GET()
            body = json.dumps(known).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Release, directory=folder))
    address = f"http://127.0.0.1:{server.server_address[1]}"
    server.known = packuments(folder, address)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server, address
