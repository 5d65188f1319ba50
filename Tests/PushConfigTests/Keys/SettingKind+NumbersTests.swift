import GatewayAPNs
import PushConfig
import PushConnectors
import Testing

@Suite struct SettingKindNumbersTests {
    @Test(arguments: [
        "0", "1000001", "-5", "+5", "5.0", "5e3", "0x10", "1_000", "1 000", " 5", "5 ", "５",
        "99999999999999999999999",
    ])
    func `a whole number consists of digits and is within its range`(text: String) {
        #expect(refuses("mta/child", "maxWaitingMessages", text))
    }

    @Test func `both ends belong to a range`() throws {
        for number in [1, 1_000_000] {
            let settings = try parsed(document("mta/child", "maxWaitingMessages='\(number)'")).get().settings
            #expect(settings.mta.child.maxWaitingMessages == number)
        }
    }

    @Test(arguments: [
        ("90s", 90), ("5m", 300), ("1h", 3_600), ("5d", 432_000), ("30d", 2_592_000), ("1", 1),
        ("3600", 3_600),
        ("007m", 420),
    ])
    func `a duration is a number with its unit, or a number of seconds`(text: String, seconds: Int) throws {
        #expect(
            try parsed(document("nmac/retry", "period='\(text)'")).get().settings.nmac.retry.periodSec
                == seconds)
    }

    @Test(arguments: [
        "0", "31d", "5w", "1.5h", "h", "-1h", "1 h", "1hh", "1H", "9223372036854775807d", "1h30m",
    ])
    func `a duration must be within its range and have one unit`(text: String) {
        #expect(refuses("nmac/retry", "period", text))
    }

    @Test func `a key whose name contains "seconds" accepts units too`() throws {
        let settings = try parsed(document("nmac/iosHTTP2", "requestTimeoutSec='2m'")).get().settings
        #expect(settings.nmac.iosHTTP2.requestTimeoutSec == 120)
    }

    @Test func `durations are shown in the largest unit that fits`() throws {
        for (text, shown) in [("5400", "90m"), ("86400", "1d"), ("61", "61s"), ("48h", "2d")] {
            let rows = try parsed(document("nmac/retry", "period='\(text)'")).get().origins
            #expect(rows.first { $0.path == "nmac/retry/@period" }?.value == shown)
        }
        let rows = try parsed(document("nmac/quarantine", "significantErrorDelay='0'")).get().origins
        #expect(rows.first { $0.path == "nmac/quarantine/@significantErrorDelay" }?.value == "0s")
    }

    @Test(arguments: [("0.001", 0.001), ("1", 1), ("0.25", 0.25), (".5", 0.5), ("1.0", 1)])
    func `a ratio is more than zero and at most one`(text: String, value: Double) throws {
        let settings = try parsed(document("nmac/quarantine", "stormRatio='\(text)'")).get().settings
        #expect(settings.nmac.quarantine.stormRatio == value)
    }

    @Test(arguments: ["0", "0.0", "1.1", "-0.5", "50%", "nan", "inf", "1e-1", "0x1p-2", ".", "0,5", "0.5.5"])
    func `a ratio is written with digits and a decimal point`(text: String) {
        #expect(refuses("nmac/quarantine", "stormRatio", text))
    }

    @Test func `a gateway's port must be at least 1, and the listener's port may be 0 for any free port`()
        throws
    {
        #expect(refuses("nmac/relay", "port", "0"))
        #expect(refuses("nmac/relay", "port", "65536"))
        #expect(refuses("web", "httpPort", "65536"))
        #expect(try parsed(document("web", "httpPort='0'")).get().settings.web.httpPort == 0)
        #expect(try parsed(document("nmac/relay", "port='65535'")).get().settings.nmac.relay.port == 65_535)
    }

    @Test func `levels are given as numbers`() throws {
        #expect(try parsed(document("mta", "logLevel='1'")).get().settings.mta.logLevel == .warning)
        #expect(refuses("mta", "logLevel", "3"))
    }
}
