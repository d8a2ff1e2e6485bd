# dlt: rest_api to filesystem, jsonl without compression, objects kept whole: python dlt-run.py ORIGIN FOLDER
import os
import sys

origin, folder = sys.argv[1:3]
os.environ["RUNTIME__DLTHUB_TELEMETRY"] = "false"
os.environ["RUNTIME__LOG_LEVEL"] = "CRITICAL"
os.environ["NORMALIZE__DATA_WRITER__DISABLE_COMPRESSION"] = "true"
os.environ["no_proxy"] = "*"

import dlt
from dlt.sources.rest_api import rest_api_source

paginator = {"type": "page_number", "base_page": 1, "page_param": "page", "total_path": None, "stop_after_empty_page": True}
source = rest_api_source(
    {
        "client": {"base_url": f"{origin}/", "paginator": paginator},
        "resources": [{"name": "items", "endpoint": {"path": "items", "data_selector": "data"}}],
    },
    max_table_nesting=0,
)
pipeline = dlt.pipeline(
    "rival",
    destination=dlt.destinations.filesystem("file://" + os.path.abspath(folder)),
    dataset_name="data",
    pipelines_dir=f"{folder}.state",
    progress=None,
)
pipeline.run(source, loader_file_format="jsonl")
