"""A job's life, as its worker and an onlooker see it: python3 examples/job_life.py SERVER"""

import json
import sys
from datetime import datetime, timedelta, timezone

from cairn import Client, errors


def main(server: str) -> None:
    client = Client(server)
    # The stream begins at this position, so that nothing that follows is missed.
    stored = list(client.events(follow=False, last_event_id=0))
    position = stored[-1].id if stored else 0

    client.register_node("py-node", {"hostName": "py-node", "cores": 4, "instance": {"instanceId": "i-py"}})
    begin = datetime.now(timezone.utc)

    def at(second: int) -> str:
        return (begin + timedelta(seconds=second)).isoformat(timespec="milliseconds").replace("+00:00", "Z")

    client.post_jobs({"id": "py-job", "queueName": "py", "events": [
        {"timestamp": at(0), "eventType": "Job-Creating", "nodeOid": "i-py", "containerId": "copy-1"},
        {"timestamp": at(1), "eventType": "Job-Running"},
    ]})
    client.post_job_events("py-job", {"timestamp": at(9), "eventType": "Job-Succeeded"})
    client.post_jobs([{"id": f"py-{n}", "queueName": "py"} for n in range(11)])

    followed = []
    for event in client.events(job="py-job", last_event_id=position):
        followed.append(event.data["event"]["eventType"])
        if followed[-1] == "Job-Succeeded":
            break

    log = "/jobs/py-job/stdout.log"
    client.append_node_file("py-node", log, b"one\n", offset=0)
    uploaded = client.upload_log("py-node", log, b"one\ntwo\n")
    appended = client.append_log("py-node", log, b"three\n")
    with client.get_node_file("py-node", log) as text:
        lines = [line.decode() for line in text]

    raised = []
    calls = [
        lambda: client.get_job("no such/job?"),
        lambda: client.get_job("nobody"),
        lambda: client.append_node_file("py-node", log, b"x", offset=2),
        lambda: client.list_jobs(limit=0),
    ]
    for call in calls:
        try:
            call()
        except errors.ApiError as error:
            raised.append([type(error).__name__, error.status, error.fields])

    job = client.get_job("py-job")
    print(json.dumps({
        "status": job["status"],
        "phases": client.count_jobs(by="phase", phase=["succeeded", "starting"])["counts"],
        "paged": [one["id"] for one in client.iterate_jobs(page_size=3, queue="py", sort="id")],
        "followed": followed,
        "sizes": [uploaded, appended],
        "lines": lines,
        "raised": raised,
    }))


main(sys.argv[1])
