/// The Python programs of ``ClientsScenario``.
enum GeneratedClients {
    /// Downloads the API's description without a token.
    static let fetch = #"""
        import sys
        import urllib.request

        urllib.request.urlretrieve(sys.argv[1], sys.argv[2])

        """#

    static let call = #"""
        """Calls every operation of the API through two clients that were generated from its description.

        usage: call.py ADDRESS TOKEN, in the folder of openapi.json, generated and models.py
        """

        import importlib
        import inspect
        import io
        import json
        import pathlib
        import pkgutil
        import sys
        import time
        import typing

        import generated
        import generated.api
        import httpx
        import models
        import pydantic
        from generated import AuthenticatedClient
        from generated.types import File

        ADDRESS, TOKEN = sys.argv[1:]
        DESCRIPTION = json.loads(pathlib.Path(__file__).with_name("openapi.json").read_text())
        ROOT = ADDRESS + DESCRIPTION["servers"][0]["url"]
        # Operations that the service may refuse. A new instance has no icons, storms or held deliveries. It
        # has no hosts, because its store is in a file, and its app has no feedback service. A delivery to one
        # device may end before the pause arrives.
        MAY_BE_REFUSED = {
            "appIcon", "deliveryPause", "deliveryRecall", "deliveryRelease", "deliveryResume", \
            "deliveryRetry",
            "deliveryStop", "feedbackPoll", "hostDrain", "hostResume", "jobCancel", "messageCancel", \
            "stormConfirm", "stormDiscard",
        }
        # The file to import. Its subscriber has the user key that the examples use.
        SUBSCRIBERS = "token,userKey\n" + "b2" * 32 + ",anna\n"


        def plain(name):
            return name.replace("_", "").lower()


        MODULES = {
            plain(module.name.split(".")[-1]): module.name
            for module in pkgutil.walk_packages(generated.api.__path__, "generated.api.")
            if not module.ispkg
        }


        def operations():
            """Returns the operations: creations, other calls, and last the deletions in reverse order."""
            found = [
                (method, path, operation)
                for path, methods in DESCRIPTION["paths"].items()
                for method, operation in methods.items()
            ]
            def rank(item):
                method, _, operation = item
                removes = method == "delete" or operation["operationId"] == "subscribersErase"
                creates = method == "put" or not {"201", "202"}.isdisjoint(operation["responses"])
                return 2 if removes else 0 if creates else 1
            deletions = [item for item in reversed(found) if rank(item) == 2]
            return sorted((item for item in found if rank(item) < 2), key=rank) + deletions


        class Run:
            """Calls the operations in order. Ids from earlier answers replace the ids in the examples."""

            def __init__(self):
                self.ids, self.called, self.done = {}, 0, 0

            def arguments(self, operation):
                arguments = {p["name"]: p["example"] for p in operation.get("parameters", []) if "example" \
                in p}
                if "id" in arguments:
                    arguments["id"] = self.ids.get(operation["tags"][0], arguments["id"])
                body = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
                return arguments, body.get("example")

            def judge(self, name, status, answer):
                """Records the ids in an answer. Fails if the operation must not return this answer."""
                self.called += 1
                self.done += status < 300
                if status >= 300 and (name not in MAY_BE_REFUSED or status not in (404, 409, 422)):
                    raise SystemExit(f"{name}: {status} {answer}")
                if name == "deliverySubmit":
                    self.ids["delivery"] = answer["id"]
                if status == 202 and "operation" in answer:
                    self.ids["job"] = answer["id"]
                if name == "messageSend":
                    self.ids["message"] = answer["devices"][0]["id"]
                if name == "appCreate":
                    register(answer["app"]["integrationKey"])


        def register(key):
            """Registers a device with the user key that the examples use.

            Tries again until the web module knows the new app, which takes a moment.
            """
            form = {"registrationToken": "a1" * 32, "mobileAppUuid": key, "userKey": "anna", "method": ""}
            end = time.monotonic() + 30
            while not (answer := httpx.post(f"{ADDRESS}/nms/mobile/1/registerIOS.jssp", \
            data=form)).is_success:
                if time.monotonic() > end:
                    answer.raise_for_status()
                time.sleep(0.1)


        def missing(answer, parsed, place=""):
            """Returns the members of an answer that its model does not have."""
            found = []
            if isinstance(answer, dict):
                for key, value in answer.items():
                    inner = f"{place}.{key}"
                    found += missing(value, parsed[key], inner) if key in parsed else [inner]
            if isinstance(answer, list):
                for index, value in enumerate(answer):
                    found += missing(value, parsed[index], f"{place}[{index}]")
            return found


        def undeclared(value):
            """Returns the undeclared members of an answer. Models without declared members are skipped."""
            found = []
            if hasattr(value, "__attrs_attrs__"):
                names = [a.name for a in value.__attrs_attrs__ if a.name != "additional_properties"]
                if names and getattr(value, "additional_properties", None):
                    found += [f"{type(value).__name__}: {list(value.additional_properties)}"]
                for name in names:
                    found += undeclared(getattr(value, name))
            if isinstance(value, (list, tuple)):
                for element in value:
                    found += undeclared(element)
            return found


        def is_text(schema):
            return schema.get("type") == "string"


        def is_upload(operation):
            return "text/csv" in operation.get("requestBody", {}).get("content", {})


        def body_of(function, example):
            """Returns the example as an instance of the first body type that has a `from_dict` method."""
            kind = typing.get_type_hints(function)["body"]
            for choice in typing.get_args(kind) or (kind,):
                if hasattr(choice, "from_dict"):
                    return choice.from_dict(example)
            raise SystemExit(f"{function.__module__}: no type for the body")


        def call_client():
            run = Run()
            client = AuthenticatedClient(
                base_url=ROOT, token=TOKEN, raise_on_unexpected_status=True, timeout=60)
            for _, _, operation in operations():
                name = operation["operationId"]
                function = importlib.import_module(MODULES[plain(name)]).sync_detailed
                arguments, body = run.arguments(operation)
                names = {plain(n): n for n in inspect.signature(function).parameters}
                given = {names[plain(n)]: v for n, v in arguments.items()}
                if is_upload(operation):
                    given["body"] = File(payload=io.BytesIO(SUBSCRIBERS.encode()), mime_type="text/csv")
                elif body is not None:
                    given["body"] = body_of(function, body)
                response = function(client=client, **given)
                parsed = response.parsed
                if parsed is not None and response.headers["content-type"].startswith("text/csv"):
                    run.judge(name, response.status_code, response.content)
                    continue
                answer = json.loads(response.content)
                if not hasattr(parsed, "to_dict"):
                    raise SystemExit(f"{name}: {response.status_code} was not parsed: {answer}")
                lost = missing(answer, parsed.to_dict()) + undeclared(parsed)
                if lost:
                    raise SystemExit(f"{name}: {type(parsed).__name__} does not have {lost}")
                run.judge(name, response.status_code, answer)
            print(f"openapi-python-client: {run.called} operations called, {run.done} done")


        def type_of(schema):
            """The generated model of a schema."""
            if "$ref" in schema:
                return getattr(models, schema["$ref"].split("/")[-1])
            choices = [type_of(choice) for choice in schema["oneOf"]]
            return typing.Union[tuple(choices)]


        def resolved(response):
            if "$ref" in response:
                return DESCRIPTION["components"]["responses"][response["$ref"].split("/")[-1]]
            return response


        def call_models():
            run = Run()
            with httpx.Client(headers={"Authorization": f"Bearer {TOKEN}"}, timeout=60) as client:
                for method, path, operation in operations():
                    name = operation["operationId"]
                    arguments, body = run.arguments(operation)
                    places = {p["name"]: p["in"] for p in operation.get("parameters", [])}
                    query = {n: v for n, v in arguments.items() if places[n] == "query"}
                    address = path.format(**{n: v for n, v in arguments.items() if places[n] == "path"})
                    content = None
                    if body is not None:
                        schema = operation["requestBody"]["content"]["application/json"]["schema"]
                        choices = [c for c in schema.get("oneOf", [schema]) if "$ref" in c]
                        model = pydantic.TypeAdapter(type_of(choices[0])).validate_python(body)
                        content = model.model_dump_json(by_alias=True, exclude_unset=True)
                    headers = {}
                    if is_upload(operation):
                        content, headers = SUBSCRIBERS, {"Content-Type": "text/csv"}
                    response = client.request(
                        method, ROOT + address, params=query, content=content, headers=headers)
                    described = resolved(operation["responses"][str(response.status_code)])["content"]
                    kind = described[response.headers["content-type"].split(";")[0]]["schema"]
                    if is_text(kind):
                        run.judge(name, response.status_code, response.text)
                        continue
                    adapter = pydantic.TypeAdapter(type_of(kind))
                    parsed = adapter.validate_json(response.content)
                    lost = missing(response.json(), adapter.dump_python(parsed, mode="json", by_alias=True))
                    if lost:
                        raise SystemExit(f"{name}: {kind} does not have {lost}")
                    run.judge(name, response.status_code, response.json())
            print(f"datamodel-code-generator: {run.called} operations called, {run.done} done")


        call_client()
        call_models()

        """#
}
