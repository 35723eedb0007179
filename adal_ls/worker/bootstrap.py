"""The script that the workspace's interpreter runs as `python -I bootstrap.py`: makes `adal_ls` importable, serves.

The interpreter may have no adal-ls installed, and nothing else of the host's packages must reach it, so only this one
package is registered, from its folder. Must compile on Pythons older than those that can serve.
"""

import importlib.util
import os
import sys
from pathlib import Path


def register() -> None:
    folder = Path(__file__).absolute().parent.parent
    spec = importlib.util.spec_from_file_location(
        "adal_ls", str(folder / "__init__.py"), submodule_search_locations=[str(folder)]
    )
    if spec is None or spec.loader is None:
        sys.exit(f"adal-ls is not readable in {folder}")
    module = importlib.util.module_from_spec(spec)
    sys.modules["adal_ls"] = module
    spec.loader.exec_module(module)


def main() -> None:
    reading, writing = int(sys.argv[1]), int(sys.argv[2])
    root, load_limit = sys.argv[3], float(sys.argv[4])
    if sys.version_info < (3, 10):  # noqa: UP036 - this file is what meets the old ones
        sys.exit(f"adal-ls needs Python 3.10 or newer for the tools, this is {sys.version.split()[0]}")
    if sys.platform == "win32":  # handles are passed there, not descriptors
        import msvcrt

        reading = msvcrt.open_osfhandle(reading, os.O_RDONLY | os.O_BINARY)
        writing = msvcrt.open_osfhandle(writing, os.O_BINARY)
    register()
    from adal_ls.worker.serve import serve

    serve(reading, writing, root=root, load_limit=load_limit)


# A child of `multiprocessing` imports this file again and must not serve.
if __name__ == "__main__":
    main()
