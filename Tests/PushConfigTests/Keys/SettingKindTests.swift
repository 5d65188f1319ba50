import GatewayAPNs
import PushConfig
import PushConnectors
import PushModel
import Testing

@Suite struct SettingKindTests {
    @Test func `only true and false are booleans`() throws {
        for text in ["True", "TRUE", "1", "0", "yes", " true", "true ", "false\u{A0}"] {
            #expect(refuses("mta", "verifyMode", text), "\(text)")
        }
        #expect(try parsed(document("mta", "verifyMode='true'")).get().settings.mta.verifyMode)
    }

    @Test(arguments: [
        "relay.example", "a", "under_score.example", "192.0.2.1", "::1", "::ffff:192.0.2.1", "example.",
        "1.2.3.4.example", "2001:db8:0:0:0:0:0:1", "::",
    ])
    func `a host is a name or an address`(host: String) throws {
        #expect(
            try parsed(document("nmac/relay", "address='\(host)'")).get().settings.nmac.relay.address == host)
    }

    @Test func `an IPv6 address may have the brackets that URLs use, which are removed`() throws {
        let settings = try parsed(document("nmac/relay", "address='[2001:db8::1]'")).get().settings
        #expect(settings.nmac.relay.endpoint == HostAndPort(host: "2001:db8::1", port: 443))
    }

    @Test(arguments: [
        "https://relay.example", "relay.example:443", "relay.example/path", "a b", "-a.example", "a..b", ".",
        "192.0.2",
        "192.0.2.256", "192.0.2.1.5", "1:2", "1::2::3", "[::1", "::12345", "user@host", "h\u{F6}st",
        "2001:db8:0:0:0:0:0:1:2",
    ])
    func `a URL, a host with a port and a malformed address are refused as a host`(host: String) {
        #expect(refuses("nmac/relay", "address", host))
    }

    @Test func `an unknown provider is refused`() {
        let element = "shared/dataStore/dataSource/dbcnx"
        expect(
            .error, "\(element)/@provider: found \"Oracle\", allowed: SQLite or PostgreSQL",
            in: document(element, "provider=\"‸Oracle\" server=\"x\""))
    }

    @Test func `words are compared letter by letter`() throws {
        #expect(refuses("tracking", "messageIdFormat", "UUID"))
        // Values in the stores of earlier versions cannot be chosen.
        #expect(refuses("tracking", "messageIdFormat", "number"))
        let settings = try parsed(document("tracking", "messageIdFormat='uuid'")).get().settings
        #expect(settings.tracking.messageIDFormat == .uuid)
    }

    @Test func `paths start at the folder of the file, and redundant components are removed`() throws {
        for (text, path) in [
            ("a.pem", "/etc/push/a.pem"), ("./x//a.pem", "/etc/push/x/a.pem"), ("/srv/a.pem", "/srv/a.pem"),
            ("../a.pem", "/etc/push/../a.pem"), ("$(XTK_INSTALL_DIR)/a.pem", "/etc/push/a.pem"),
            ("$(XTK_INSTALL_DIR)", "/etc/push"), ("$(INSTANCE_NAME).pem", "/etc/push/default.pem"),
        ] {
            let settings = try parsed(document("nmac/relay", "trustedCertsChain='\(text)'")).get().settings
            #expect(settings.nmac.relay.trustedCertsChain == path)
        }
    }

    @Test func `a found text is shown on one line, and is truncated if it is long`() {
        let long = String(repeating: "x", count: 500)
        let found = findings(document("mta", "autoStart='a&#10;b&#x202E;\(long)'"))
        #expect(
            found.map(\.message) == [
                "mta/@autoStart: found \"a\\nb\\u{202E}\(String(repeating: "x", count: 56))…\", allowed: true or false"
            ])
    }
}

/// Reports whether the reader refuses a value at its place and reports nothing else.
func refuses(_ element: String, _ attribute: String, _ value: String) -> Bool {
    let marked = MarkedDocument(document(element, "\(attribute)=\"‸\(value)\""))
    guard case .failure(let error) = parsed(bytes: marked.bytes), error.findings.count == 1 else {
        return false
    }
    return error.findings[0].line == marked.line && error.findings[0].column == marked.column
        && error.findings[0].message.hasPrefix("\(element)/@\(attribute): found ")
}
