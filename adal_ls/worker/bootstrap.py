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
    """`worker READING WRITING`: one worker. `parent SOCKET`: forks workers until the host closes the socket."""
    role, descriptors = sys.argv[1], [int(text) for text in sys.argv[2:]]
    if sys.version_info < (3, 10):  # noqa: UP036 - this file is what meets the old ones
        sys.exit(f"adal-ls needs Python 3.10 or newer for the tools, this is {sys.version.split()[0]}")
    if sys.platform == "win32":  # handles are passed there, not descriptors
        import msvcrt

        descriptors = [
            msvcrt.open_osfhandle(handle, os.O_BINARY | (os.O_RDONLY if index == 0 else 0))
            for index, handle in enumerate(descriptors)
        ]
    register()
    if role == "parent":
        from adal_ls.worker.parent import fork_workers

        fork_workers(*descriptors)
    else:
        from adal_ls.worker.serve import serve

        serve(*descriptors)


# A child of `multiprocessing` imports this file again and must not serve.
if __name__ == "__main__":
    main()
