# A careful loop in Python: python python-loop.py LIBRARY ORIGIN FILE. LIBRARY: requests or httpx; orjson both ways.
# It ends at an empty page. requests trusts the authorities in the file REQUESTS_CA_BUNDLE, if it is set.
import os
import sys

import orjson

library, origin, target = sys.argv[1:4]
if library == "requests":
    import requests

    client = requests.Session()
    client.trust_env = False
    client.verify = os.environ.get("REQUESTS_CA_BUNDLE", True)
else:
    import httpx

    client = httpx.Client(trust_env=False, timeout=60)

page = 1
with open(target, "wb", buffering=1 << 20) as file:
    while True:
        items = orjson.loads(client.get(f"{origin}/items", params={"page": page}).content)["data"]
        if not items:
            break
        file.write(b"".join(orjson.dumps(item, option=orjson.OPT_APPEND_NEWLINE) for item in items))
        page += 1
