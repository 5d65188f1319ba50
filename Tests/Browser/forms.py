"""A client of the console without a browser: it keeps cookies, follows redirects and reads forms."""

import http.client
import ssl
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit

VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}


@dataclass
class Form:
    method: str
    action: str
    encoding: str
    fields: list[tuple[str, str]] = field(default_factory=list)
    # The names of fields that a person types into, and their kinds.
    typed: dict[str, str] = field(default_factory=dict)
    files: list[str] = field(default_factory=list)
    buttons: list[tuple[str, str]] = field(default_factory=list)

    def filled(self, **values: str) -> list[tuple[str, str]]:
        return [(name, values.get(name, value)) for name, value in self.fields]


class Page(HTMLParser):
    """A document with its forms, links, attributes and text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.source = text
        self.forms: list[Form] = []
        self.links: list[str] = []
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.identified: dict[str, Form] = {}
        self.outside: list[tuple[str, dict[str, str]]] = []
        self.heading = ""
        self._form: Form | None = None
        self._select: tuple[Form, str, list[tuple[str, bool]]] | None = None
        self._textarea: tuple[Form, str] | None = None
        self._data: list[str] = []
        self._in_heading = False
        self.feed(text)
        for tag, attributes in self.outside:
            form = self.identified.get(attributes["form"])
            if form:
                self._add(form, tag, attributes)

    def handle_starttag(self, tag: str, pairs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in pairs}
        self.elements.append((tag, attributes))
        if tag == "form":
            self._form = Form(attributes.get("method", "get").lower(), attributes.get("action", ""),
                              attributes.get("enctype", ""))
            self.forms.append(self._form)
            if attributes.get("id"):
                self.identified[attributes["id"]] = self._form
        elif tag == "a" and attributes.get("href"):
            self.links.append(attributes["href"])
        elif tag == "h1":
            self._in_heading = True
        elif tag in {"input", "button", "select", "textarea"}:
            if attributes.get("form") and attributes["form"] not in self.identified:
                self.outside.append((tag, attributes))
                return
            form = self.identified.get(attributes.get("form", ""), self._form)
            if form:
                self._add(form, tag, attributes)
        elif tag == "option" and self._select:
            self._select[2].append((attributes.get("value", ""), "selected" in attributes))

    def _add(self, form: Form, tag: str, attributes: dict[str, str]) -> None:
        name, kind = attributes.get("name", ""), attributes.get("type", "text")
        if "disabled" in attributes:
            return
        if tag == "button" or kind in {"submit", "button", "reset", "image"}:
            if name:
                form.buttons.append((name, attributes.get("value", "")))
        elif not name:
            return
        elif tag == "select":
            self._select = (form, name, [])
        elif tag == "textarea":
            self._textarea, self._data = (form, name), []
        elif kind == "file":
            form.files.append(name)
        elif kind in {"checkbox", "radio"}:
            if "checked" in attributes:
                form.fields.append((name, attributes.get("value", "on")))
        else:
            form.fields.append((name, attributes.get("value", "")))
            if kind != "hidden":
                form.typed[name] = kind

    def handle_startendtag(self, tag: str, pairs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, pairs)

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._form = None
        elif tag == "h1":
            self._in_heading = False
        elif tag == "select" and self._select:
            form, name, options = self._select
            chosen = [value for value, is_selected in options if is_selected] or [value for value, _ in options][:1]
            form.fields += [(name, value) for value in chosen]
            self._select = None
        elif tag == "textarea" and self._textarea:
            form, name = self._textarea
            form.fields.append((name, "".join(self._data)))
            form.typed[name] = "textarea"
            self._textarea = None

    def handle_data(self, data: str) -> None:
        if self._textarea:
            self._data.append(data)
        if self._in_heading:
            self.heading += data


@dataclass
class Answer:
    status: int
    headers: list[tuple[str, str]]
    body: bytes
    path: str

    @property
    def text(self) -> str:
        return self.body.decode("utf-8", "replace")

    @property
    def page(self) -> Page:
        return Page(self.text)

    def header(self, name: str) -> str:
        return next((value for each, value in self.headers if each.lower() == name.lower()), "")

    def all(self, name: str) -> list[str]:
        return [value for each, value in self.headers if each.lower() == name.lower()]


class Client:
    """A browser's network side. By default, it sends the headers of a browser on a page of the console."""

    def __init__(self, host: str, port: int, secure: bool = False, own_headers: bool = True) -> None:
        self.host, self.port, self.secure, self.own_headers = host, port, secure, own_headers
        self.cookies: dict[str, str] = {}

    @property
    def origin(self) -> str:
        return f"{'https' if self.secure else 'http'}://{self.host}:{self.port}"

    def send(self, method: str, path: str, form: list[tuple[str, str]] | dict[str, str] | None = None,
             headers: dict[str, str] | None = None, body: bytes | None = None) -> Answer:
        if self.secure:
            context = ssl.create_default_context()
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
            connection = http.client.HTTPSConnection(self.host, self.port, timeout=60, context=context)
        else:
            connection = http.client.HTTPConnection(self.host, self.port, timeout=60)
        sent = {"Accept": "text/html", "Accept-Language": "en"}
        if self.cookies:
            sent["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        if form is not None:
            body = urlencode(form).encode()
            sent["Content-Type"] = "application/x-www-form-urlencoded"
        if method == "POST" and self.own_headers:
            sent |= {"Origin": self.origin, "Sec-Fetch-Site": "same-origin"}
        sent |= headers or {}
        try:
            connection.request(method, path, body, {name: value for name, value in sent.items() if value is not None})
            reply = connection.getresponse()
            answer = Answer(reply.status, reply.getheaders(), reply.read(), path)
        finally:
            connection.close()
        for line in answer.all("set-cookie"):
            name, _, rest = line.partition("=")
            value = rest.split(";")[0]
            if not value or "max-age=0" in line.lower():
                self.cookies.pop(name, None)
            else:
                self.cookies[name] = value
        return answer

    def get(self, path: str, **headers: str) -> Answer:
        """Follows redirects of this host."""
        answer = self.send("GET", path, headers=headers)
        for _ in range(5):
            if answer.status not in {301, 302, 303, 307, 308}:
                break
            answer = self.send("GET", local(urljoin(answer.path, answer.header("location"))))
        return answer

    def submit(self, page: str, form: Form, values: list[tuple[str, str]] | None = None, **headers: str) -> Answer:
        target = local(urljoin(page, form.action or page))
        fields = form.fields if values is None else values
        if form.method == "get":
            return self.send("GET", target.split("?")[0] + "?" + urlencode(fields))
        if form.encoding == "multipart/form-data":
            boundary = "----browser-tests-boundary"
            parts = [f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
                     for name, value in fields]
            parts += [f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"; filename="x.csv"\r\n'
                      "Content-Type: text/csv\r\n\r\ntoken,userKey\r\n\r\n" for name in form.files]
            body = ("".join(parts) + f"--{boundary}--\r\n").encode()
            return self.send("POST", target, body=body, headers=headers | {
                "Content-Type": f"multipart/form-data; boundary={boundary}"})
        return self.send("POST", target, fields, headers)

    def sign_in(self, name: str, password: str, **headers: str) -> Answer:
        return self.send("POST", "/console/sign-in", {"name": name, "password": password}, headers)


def local(url: str) -> str:
    parts = urlsplit(url)
    return parts.path + ("?" + parts.query if parts.query else "")


def shape(path: str) -> str:
    """Returns the path with numbers and names of parameters only, so that similar pages count as one."""
    parts = urlsplit(path)
    names = sorted({name for name, _ in parse_qsl(parts.query, keep_blank_values=True)})
    segments = ["N" if segment.isdigit() else segment for segment in parts.path.split("/")]
    return "/".join(segments) + ("?" + "&".join(names) if names else "")


def crawl(client: Client, start: str = "/console/", limit: int = 400, per_shape: int = 3) -> dict[str, Answer]:
    """Follows all links of the console. Returns the answers by path."""
    waiting, seen, counts = [start], {}, {}
    while waiting and len(seen) < limit:
        path = waiting.pop(0)
        if path in seen or not path.startswith("/console"):
            continue
        kind = shape(path)
        if counts.get(kind, 0) >= per_shape:
            continue
        counts[kind] = counts.get(kind, 0) + 1
        answer = seen[path] = client.send("GET", path)
        if answer.header("location"):
            waiting.append(local(urljoin(path, answer.header("location"))))
        if answer.header("content-type").startswith("text/html"):
            waiting += [local(urljoin(path, link)) for link in answer.page.links if not link.startswith("#")
                        and not urlsplit(link).netloc]
    return seen
