# dlt: rest_api to tables, lists as child tables: python dlt-tables.py ORIGIN FOLDER duckdb|parquet
import os
import sys

origin, folder, kind = sys.argv[1:4]
os.environ["RUNTIME__DLTHUB_TELEMETRY"] = "false"
os.environ["RUNTIME__LOG_LEVEL"] = "CRITICAL"
os.environ["no_proxy"] = "*"

import dlt
from dlt.sources.rest_api import rest_api_source

paginator = {"type": "page_number", "base_page": 1, "page_param": "page", "total_path": None, "stop_after_empty_page": True}
source = rest_api_source(
    {
        "client": {"base_url": f"{origin}/", "paginator": paginator},
        "resources": [{"name": "items", "endpoint": {"path": "items", "data_selector": "data"}}],
    },
)
folder = os.path.abspath(folder)
os.makedirs(folder, exist_ok=True)
if kind == "duckdb":
    destination, form = dlt.destinations.duckdb(os.path.join(folder, "items.db")), None
else:
    destination, form = dlt.destinations.filesystem("file://" + folder), "parquet"
pipeline = dlt.pipeline(
    "rival", destination=destination, dataset_name="data", pipelines_dir=f"{folder}.state", progress=None
)
pipeline.run(source, loader_file_format=form)
