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
            in: document("web", "bind=\"‸0.0.0.0\""))
        #expect(
            try parsed(document("web", "bind='0.0.0.0' certificateChain='c' privateKey='k'")).get().findings
                .isEmpty)
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
