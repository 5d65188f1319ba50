import CProbeShims
import Glibc
import Testing
import pushsink

/// A client that shows what a gateway sends on the wire.
final class Probe {
    enum Event: Equatable {
        case settings(streams: UInt32)
        case answer(stream: Int32, status: UInt32, id: String, body: String)
        case reset(stream: Int32, code: UInt32)
        case goAway(last: Int32, code: UInt32, debug: String)
        case pong
        case ended(String)
    }

    private let raw: OpaquePointer
    private let path: String

    /// Connects. `identity` is the name of a client certificate's file in the sink's set.
    init(_ sink: Sink, identity: String? = nil, narrow: Bool = false) throws {
        let authority = sink.certificates.path(CertificateSet.Name.authority)
        let identity = identity.map(sink.certificates.path)
        let made: OpaquePointer?
        if let identity {
            made = identity.withCString { push_probe_make(sink.port, authority, $0) }
        } else {
            made = push_probe_make(sink.port, authority, nil)
        }
        raw = try #require(made)
        path = "/3/device/"
        if narrow { push_probe_narrow(raw) }
    }

    /// Connects to another gateway of the sink.
    init(_ sink: Sink, port: UInt16) throws {
        raw = try #require(push_probe_make(port, sink.certificates.path(CertificateSet.Name.authority), nil))
        path = ""
    }

    deinit { push_probe_free(raw) }

    /// Queues a POST.
    @discardableResult
    func post(_ path: String, authorization: String?, body: String) -> Int32 {
        var fields = [
            (":method", "POST"), (":scheme", "https"), (":authority", "localhost"), (":path", path),
            ("content-type", "application/json"),
        ]
        if let authorization { fields.append(("authorization", authorization)) }
        return send(fields, body)
    }

    /// Queues a push with these headers in addition to the usual ones. A header whose value is `nil` is left
    /// out.
    @discardableResult
    func push(
        _ token: String = Draft.token, _ headers: [(String, String?)] = [], authorization: String? = nil,
        method: String = "POST", body: String = #"{"aps":{"alert":"x"}}"#
    ) -> Int32 {
        var fields: [(String, String)] = [
            (":method", method), (":scheme", "https"), (":authority", "localhost"), (":path", path + token),
        ]
        if let authorization { fields.append(("authorization", authorization)) }
        var usual: [(String, String)] = [
            ("apns-topic", CertificateSet.Account.defaultBundleID), ("apns-push-type", "alert"),
            ("apns-priority", "10"),
        ]
        for (name, value) in headers {
            usual.removeAll { $0.0 == name }
            if let value { usual.append((name, value)) }
        }
        return send(fields + usual, body)
    }

    private func send(_ fields: [(String, String)], _ body: String) -> Int32 {
        let texts = fields.map { (strdup($0.0)!, strdup($0.1)!) }
        defer {
            for text in texts {
                free(text.0)
                free(text.1)
            }
        }
        let raws = texts.map { push_probe_field(name: $0.0, value: $0.1) }
        let bytes = Array(body.utf8)
        return push_probe_send(raw, raws, raws.count, bytes, bytes.count)
    }

    /// Queues a PING.
    func ping() { push_probe_ping(raw) }

    /// Waits for the gateway's first SETTINGS, so that the client does not open more streams than the gateway
    /// allows.
    func greet() { #expect(next().map { if case .settings = $0 { true } else { false } } == true) }

    /// Returns the next event; `nil` if there is none within ten seconds (or within `milliseconds`).
    func next(within milliseconds: Int32 = 10_000) -> Event? {
        var event = push_probe_event()
        guard push_probe_next(raw, &event, milliseconds) else { return nil }
        let text = Self.text(&event.text)
        switch event.kind {
        case PUSH_PROBE_SETTINGS: return .settings(streams: event.number)
        case PUSH_PROBE_ANSWER:
            return .answer(stream: event.stream, status: event.number, id: Self.text(&event.id), body: text)
        case PUSH_PROBE_RESET: return .reset(stream: event.stream, code: event.number)
        case PUSH_PROBE_GOAWAY: return .goAway(last: event.stream, code: event.number, debug: text)
        case PUSH_PROBE_PONG: return .pong
        default: return .ended(text)
        }
    }

    /// Returns the next `count` answers or resets, by stream. Other events are skipped.
    func answers(_ count: Int) -> [Int32: Event] {
        var found: [Int32: Event] = [:]
        while found.count < count, let event = next() {
            switch event {
            case .answer(let stream, _, _, _), .reset(let stream, _): found[stream] = event
            case .ended: return found
            default: break
            }
        }
        return found
    }

    /// Returns the status and body of the next answer.
    func answer() -> String {
        while let event = next() {
            switch event {
            case .answer(_, let status, _, let body): return body.isEmpty ? "\(status)" : "\(status) \(body)"
            case .reset(_, let code): return "reset \(code)"
            case .ended(let how): return "ended: \(how)"
            default: break
            }
        }
        return "nothing"
    }

    /// Returns all events until the connection ends, or until nothing has arrived for this duration.
    func all(within milliseconds: Int32) -> [Event] {
        var events: [Event] = []
        while let event = next(within: milliseconds) { events.append(event) }
        return events
    }

    /// Returns how the connection ended; `nil` if it did not end.
    func end() -> String? {
        while let event = next() { if case .ended(let how) = event { return how } }
        return nil
    }

    private static func text<Tuple>(_ tuple: inout Tuple) -> String {
        withUnsafeBytes(of: &tuple) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
