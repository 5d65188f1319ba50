import PushConfig
import Testing

@Suite struct ContradictionsTests {
    @Test func `the maximum number of children must not be below the minimum or the initial number`() {
        expect(
            .error,
            "mta/master/@minSpareServers: 3 exceeds mta/master/@maxSpareServers (2, its default)",
            in: document("mta/master", "minSpareServers=\"‸3\""))
        expect(
            .error, "mta/master/@startSpareServers: 5 exceeds mta/master/@maxSpareServers (4)",
            in: document("mta/master", "maxSpareServers=\"4\" startSpareServers=\"‸5\""))
    }

    @Test func `a certificate requires a key, and a key requires a certificate`() {
        expect(
            .error, "web/@certificateChain: has no effect without web/@privateKey: set both or neither",
            in: document("web", "certificateChain=\"‸c.pem\" privateKey=\"\""))
        expect(
            .error, "web/@privateKey: has no effect without web/@certificateChain: set both or neither",
            in: document("web", "privateKey=\"‸k.pem\""))
    }

    @Test func `a public listener without TLS produces a warning`() throws {
        expect(
            .warning,
            "web/@bind: \"0.0.0.0\" can be reached from other machines; without web/@certificateChain, tokens and "
                + "registrations are transmitted unencrypted",
            in: document("web", "bind=\"‸0.0.0.0\" adminPort='0'"))
        expect(
            .warning,
            "web/@adminBind: \"10.0.0.7\" can be reached from other machines; without web/@certificateChain, the "
                + "API's tokens are transmitted unencrypted",
            in: document("web", "adminPort='9090' adminBind=\"‸10.0.0.7\""))
        let tls = "certificateChain='c' privateKey='k'"
        for admin in ["", "adminBind='10.0.0.7'"] {
            let web = "bind='0.0.0.0' adminPort='9090' \(admin) \(tls)"
            #expect(try parsed(document("web", web)).get().findings.isEmpty, "\(admin)")
        }
    }

    @Test func `metrics and the API on a public listener without a port of their own produce a warning`() {
        expect(
            .warning,
            "web/@bind: \"0.0.0.0\" can be reached from other machines, and so can /metrics, /healthz, /readyz and "
                + "the API; set web/@adminPort to serve them on a port of their own",
            in: document("web", "certificateChain='c' privateKey='k' bind=\"‸0.0.0.0\""))
    }

    @Test func `the port of operators must differ from the port of devices on the same address`() throws {
        let message = "web/@adminPort: 8080 is also web/@httpPort; choose another port"
        let tls = "certificateChain='c' privateKey='k'"
        for addresses in [
            "", "bind='::' \(tls)", "bind='0:0:0:0:0:0:0:0' \(tls)",
            "bind='0.0.0.0' adminBind='localhost' \(tls)",
            // The name may be either of the two addresses.
            "bind='localhost'", "adminBind='Localhost'", "bind='::1' adminBind='localhost'",
            "bind='::1' adminBind='0:0:0:0:0:0:0:1'", "bind='::ffff:127.0.0.1'",
            "bind='push.example.com' adminBind='Push.example.com' \(tls)",
            "bind='push.example.com' adminBind='0.0.0.0' \(tls)",
        ] {
            expect(.error, message, in: document("web", "adminPort=\"‸8080\" \(addresses)"))
        }
        for good in [
            "adminPort='0' httpPort='0'", "adminPort='8080' adminBind='127.0.0.2'",
            "adminPort='8080' bind='::1'", "adminPort='8080' bind='::1' adminBind='0.0.0.0' \(tls)",
            "adminPort='8080' bind='push.example.com' \(tls)",
        ] {
            #expect(try parsed(document("web", good)).get().findings.isEmpty, "\(good)")
        }
        expect(
            .warning, "web/@adminBind: has no effect without web/@adminPort",
            in: document("web", "adminBind=\"‸localhost\""))
    }

    @Test func `a public URL without HTTPS produces a warning`() throws {
        expect(
            .warning,
            "web/@publicUrl: http://push.example.com is not HTTPS: the extensions of Adobe's SDK always use HTTPS, "
                + "and iOS and Android refuse HTTP in published apps",
            in: document("web", "publicUrl=\"‸http://push.example.com/\""))
        for good in ["https://push.example.com", "http://127.0.0.1:8080", "http://[::1]:80/push"] {
            #expect(try parsed(document("web", "publicUrl='\(good)'")).get().findings.isEmpty, "\(good)")
        }
    }

    @Test func `a setting that selects a proxy requires a proxy that is enabled and complete`() {
        func text(_ config: String, _ nmac: String = "true") -> String {
            "<serverConf><nmac useHTTPProxy=\"\(nmac)\"/>\n"
                + "<shared><proxyConfig \(config)</proxyConfig></shared></serverConf>"
        }
        let wish = "nmac/@useHTTPProxy: requires a proxy, but shared/proxyConfig"
        expect(.error, "\(wish)/@enabled is false", in: document("nmac", "useHTTPProxy=\"‸true\""))
        expect(.error, "\(wish)/@enabled is false", in: text("enabled=\"false\">", "‸true"))
        expect(
            .error, "\(wish)/proxyHTTPS/@address is empty",
            in: text("enabled=\"true\"><proxyHTTP address=\"a.example\" port=\"1\"/>", "‸true"))
        expect(
            .error, "\(wish)/proxyHTTP/@address is empty",
            in: text("enabled=\"true\" useSingleProxy=\"true\">", "‸true"))
        expect(
            .error,
            "shared/proxyConfig/proxyHTTPS/@address: is used by nmac/@useHTTPProxy and requires "
                + "shared/proxyConfig/proxyHTTPS/@port",
            in: text("enabled=\"true\"><proxyHTTPS address=\"‸a.example\"/>"))
    }

    @Test func `a database without a provider is a Campaign database and is refused`() {
        let message = """
            shared/dataStore/dataSource/dbcnx/@provider: found nothing, which means Oracle; \
            allowed: SQLite or PostgreSQL
            """
        expect(
            .error, message,
            in:
                "<serverConf><shared><dataStore><dataSource>‸<dbcnx/></dataSource></dataStore></shared></serverConf>"
        )
        expect(
            .error, message, in: document("shared/dataStore/dataSource/dbcnx", "provider=\"‸\" server=\"x\""))
    }

    @Test func `a setting whose value was refused causes no further contradiction`() {
        expect(
            .error, "mta/master/@maxSpareServers: found \"many\", allowed: a whole number from 1 to 256",
            in: document("mta/master", "startSpareServers=\"9\" maxSpareServers=\"‸many\""))
    }

    @Test func `more retries than fit into one day produce a warning`() throws {
        expect(
            .warning,
            "nmac/retry/@count: 25 attempts at intervals of 1h (nmac/retry/@period) do not fit into the first day: 24 "
                + "are made, then one a day",
            in: document("nmac/retry", "count=\"‸25\""))
        expect(
            .warning,
            "nmac/retry/@count: 5 attempts at intervals of 2d (nmac/retry/@period) do not fit into the first day: 0 "
                + "are made, then one a day",
            in: document("nmac/retry", "period=\"‸2d\""))
        for good in ["count='24'", "count='0' period='30d'", "count='1000' period='86s'"] {
            #expect(try parsed(document("nmac/retry", good)).get().findings.isEmpty)
        }
    }

    @Test func `errors that expire before the next error counts produce a warning`() throws {
        expect(
            .warning,
            "nmac/quarantine/@significantErrorDelay: after 10d without an error, a token's count restarts; "
                + "if errors count only when they are 11d apart, the count never reaches "
                + "nmac/quarantine/@maxErrors (5, its default); shorten the delay",
            in: document("nmac/quarantine", "significantErrorDelay=\"‸11d\""))
        for good in ["significantErrorDelay='10d'", "significantErrorDelay='11d' maxErrors='1'"] {
            #expect(try parsed(document("nmac/quarantine", good)).get().findings.isEmpty)
        }
    }
}
