#!/usr/bin/env python3
"""Sends to pushsink with another project's client. compare.py runs this program in the environment of requirements.txt.

Prints JSON with the number of accepted messages, the elapsed seconds, this process's CPU seconds, and the client's
version. Both times extend from the first message to the last answer, so they exclude Python's start and imports.
"""

import argparse
import asyncio
import importlib.metadata
import json
import ssl
import time
import uuid
from collections.abc import Awaitable, Callable
from pathlib import Path

PAYLOAD = {"aps": {"alert": {"title": "Hello", "body": "x" * 230}}, "_mId": "1", "_dId": "2"}
# The number of messages in flight at which each client was fastest. With more messages in flight, aioapns exhausts the
# connection's window and sleeps for a second.
AIOAPNS_STREAMS = 100
HTTPX_STREAMS = 50
# The maximum number of messages in one call of firebase-admin.
FCM_BATCH = 500


def trust(certificates: Path) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=str(certificates / "ca.pem"))
    context.set_alpn_protocols(["h2"])
    return context


async def send_all(messages: int, at_once: int, send: Callable[[int], Awaitable[bool]]) -> int:
    """Runs `at_once` senders with one message in flight each. Returns the number of accepted messages."""
    numbers = iter(range(messages))

    async def sender() -> int:
        return sum([await send(number) for number in numbers])

    return sum(await asyncio.gather(*[sender() for _ in range(at_once)]))


def token(number: int) -> str:
    return f"{number:064x}"


# Each function prepares a client, sends one message to open its connection, and returns a function that sends the rest.

async def aioapns(options, account, key: str):
    from aioapns import APNs, NotificationRequest, PushType, connection

    connection.APNsProductionClientProtocol.APNS_SERVER = "localhost"
    connection.APNsProductionClientProtocol.APNS_PORT = options.port
    client = APNs(
        key=key, key_id=account["keyID"], team_id=account["teamID"], topic=account["bundleID"], max_connections=1,
        ssl_context=trust(options.certificates))

    async def send(number: int) -> bool:
        request = NotificationRequest(
            device_token=token(number), message=PAYLOAD, time_to_live=86_400, push_type=PushType.ALERT, priority=10)
        return (await client.send_notification(request)).is_successful

    await send(0)
    return lambda: send_all(options.messages, AIOAPNS_STREAMS, send)


async def httpx(options, account, key: str):
    """Sends one request per notification through httpx with HTTP/2, like PyAPNs2, which is no longer maintained."""
    import httpx
    import jwt

    bearer = jwt.encode(
        {"iss": account["teamID"], "iat": int(time.time())}, key, algorithm="ES256", headers={"kid": account["keyID"]})
    expiration = str(int(time.time()) + 86_400)
    client = httpx.AsyncClient(
        http2=True, http1=False, verify=trust(options.certificates), timeout=60,
        base_url=f"https://localhost:{options.port}", limits=httpx.Limits(max_connections=1))

    async def send(number: int) -> bool:
        headers = {
            "authorization": f"bearer {bearer}", "apns-topic": account["bundleID"], "apns-push-type": "alert",
            "apns-priority": "10", "apns-expiration": expiration, "apns-id": str(uuid.uuid4()),
        }
        body = json.dumps(PAYLOAD, ensure_ascii=False, separators=(",", ":")).encode()
        answer = await client.post(f"/3/device/{token(number)}", content=body, headers=headers)
        return answer.status_code == 200

    await send(0)
    return lambda: send_all(options.messages, HTTPX_STREAMS, send)


def firebase_messages(options):
    """Prepares the unmodified firebase-admin with the sink's service account. Only FCM's address is replaced."""
    import firebase_admin
    from firebase_admin import credentials, messaging

    # There is no public way to set the address.
    messaging._MessagingService.FCM_URL = f"https://localhost:{options.port}/v1/projects/{{0}}/messages:send"
    firebase_admin.initialize_app(credentials.Certificate(str(options.service_account)))
    data = {"body": "x" * 230, "_mId": "1", "_dId": "2"}

    def batch(start: int, count: int):
        return [
            messaging.Message(data=data, token=f"{token(number)}:APA91b-{number}_synthetic")
            for number in range(start, start + count)]

    return messaging, batch


async def firebase_threads(options, account, key):
    messaging, batch = firebase_messages(options)
    messaging.send_each(batch(0, 1))

    async def send() -> int:
        counts = 0
        for start in range(0, options.messages, FCM_BATCH):
            counts += messaging.send_each(batch(start, min(FCM_BATCH, options.messages - start))).success_count
        return counts

    return send


async def firebase_async(options, account, key):
    messaging, batch = firebase_messages(options)
    await messaging.send_each_async(batch(0, 1))

    async def send() -> int:
        counts = 0
        for start in range(0, options.messages, FCM_BATCH):
            done = await messaging.send_each_async(batch(start, min(FCM_BATCH, options.messages - start)))
            counts += done.success_count
        return counts

    return send


CLIENTS = {
    "aioapns": aioapns, "httpx": httpx, "firebase-admin": firebase_threads, "firebase-admin-async": firebase_async,
}


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("client", choices=CLIENTS)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--messages", type=int, required=True)
    parser.add_argument("--certificates", type=Path, required=True, help="the folder that pushsink certs created")
    parser.add_argument("--service-account", type=Path, help="the service account of the sink's FCM")
    options = parser.parse_args()
    account = json.loads((options.certificates / "apns.json").read_text())
    key = (options.certificates / f"AuthKey_{account['keyID']}.p8").read_text()

    send = await CLIENTS[options.client](options, account, key)
    begin, cpu = time.monotonic(), time.process_time()
    accepted = await send()
    print(json.dumps({
        "accepted": accepted, "seconds": time.monotonic() - begin, "cpu": time.process_time() - cpu,
        "version": importlib.metadata.version(options.client.removesuffix("-async")),
    }))


if __name__ == "__main__":
    asyncio.run(main())
