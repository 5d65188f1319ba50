import GatewayAPNs
import PushModel
import PushPayload
import Testing

/// Tests of numbers and dates as devices of several languages receive them.
@Suite struct ValueFormatPayloadTests {
    private func rendered(
        _ format: String, _ value: String, _ language: String
    ) throws -> PayloadTemplate.Rendered {
        let template = try PayloadTemplate.apns(
            content: Content(title: "{{v:\(format)}}"), variables: [], delivery: DeliveryID(rawValue: 7),
            tracking: false, idFormat: .uuid)
        return template.rendered(
            identity: OpaqueID(high: 0, low: 0), integerID: 1,
            parameters: MessageFilling.bytes(
                language: language, parameters: Array(#"{"v":"\#(value)"}"#.utf8)))
    }

    private func title(_ format: String, _ value: String, _ language: String) throws -> String {
        let bytes = try #require(try rendered(format, value, language).bytes)
        return String(
            String(decoding: bytes, as: UTF8.self).dropFirst(#"{"aps":{"alert":{"title":""#.count)
                .dropLast(#""}}}"#.count))
    }

    @Test(arguments: [
        ("en-US", "-1,234.5", "12,345,678.5"), ("de-DE", "-1.234,5", "12.345.678,5"),
        ("de-CH", "-1\u{2019}234.5", "12\u{2019}345\u{2019}678.5"),
        ("fr_FR", "-1\u{202F}234,5", "12\u{202F}345\u{202F}678,5"),
        ("fr_CA", "-1\u{A0}234,5", "12\u{A0}345\u{A0}678,5"), ("es-ES", "-1234,5", "12.345.678,5"),
        ("es-MX", "-1,234.5", "12,345,678.5"), ("pt-BR", "-1.234,5", "12.345.678,5"),
        ("pt-PT", "-1234,5", "12\u{A0}345\u{A0}678,5"), ("hi-IN", "-1,234.5", "1,23,45,678.5"),
        ("en-IN", "-1,234.5", "1,23,45,678.5"), ("sv", "\u{2212}1\u{A0}234,5", "12\u{A0}345\u{A0}678,5"),
        ("ja-JP", "-1,234.5", "12,345,678.5"), ("he", "\u{200E}-1,234.5", "12,345,678.5"),
        ("tlh", "-1234.5", "12345678.5"), ("", "-1234.5", "12345678.5"),
    ])
    func `a number has the separators of its language`(language: String, small: String, great: String) throws
    {
        #expect(try title("number", "-1234.5", language) == small)
        #expect(try title("number", "12345678.5", language) == great)
    }

    @Test(arguments: [
        ("0", 2, "0.00"), ("0.005", 2, "0.01"), ("0.004", 2, "0.00"), ("-0.004", 2, "0.00"),
        ("-0.005", 2, "-0.01"), ("9.995", 2, "10.00"), ("999.5", 0, "1,000"), ("999.4", 0, "999"),
        ("1234", 2, "1,234.00"), ("+7", 0, "7"), ("007", 1, "7.0"), ("000", 0, "0"), ("1.99", 1, "2.0"),
        ("129.96", 1, "130.0"), ("-99.99", 1, "-100.0"), ("0.5", 0, "1"), ("1.123456789", 9, "1.123456789"),
    ])
    func `a number is rounded to the requested decimals, and halves are rounded away from zero`(
        value: String, decimals: Int, wanted: String
    ) throws {
        #expect(try title("number(\(decimals))", value, "en") == wanted)
    }

    @Test(arguments: [
        ("Paris", "Paris"), ("a-b._~9", "a-b._~9"), ("Köln & Bonn", "K%C3%B6ln%20%26%20Bonn"),
        (#"\"\\\/\n\r\t\b\f"#, "%22%5C%2F%0A%0D%09%08%0C"), (#"\u00e9\u20ac\u0041"#, "%C3%A9%E2%82%ACA"),
        (#"\ud83d\ude00"#, "%F0%9F%98%80"), ("😀", "%F0%9F%98%80"), (#"\ud83dx"#, "%EF%BF%BDx"),
        (#"\ud83d\u0041"#, "%EF%BF%BDA"), ("a=b&c?d#e%+", "a%3Db%26c%3Fd%23e%25%2B"),
    ])
    func `a text is percent-encoded as a part of an address`(value: String, wanted: String) throws {
        #expect(try title("url", value, "fr") == wanted)
        #expect(try title("url|none", value, "") == wanted)
    }

    @Test func `a default is not percent-encoded, and an unknown format is refused with a list`() throws {
        #expect(try title("url|a b", "", "") == "a b")
        let error = #expect(throws: PersonalTextError.self) { try PersonalText("x {{city:uri}}") }
        #expect(
            error?.description
                == "{{ at character 3: \"uri\" is not a format; allowed, directly after the colon: number, number(2), date, date(short), date(medium), date(long), url"
        )
    }

    @Test(arguments: [
        ("en-US", "11/5/26", "Nov 5, 2026", "November 5, 2026"),
        ("en-GB", "05/11/2026", "5 Nov 2026", "5 November 2026"),
        ("de", "05.11.26", "05.11.2026", "5. November 2026"),
        ("fr-FR", "05/11/2026", "5 nov. 2026", "5 novembre 2026"),
        ("fr-CA", "2026-11-05", "5 nov. 2026", "5 novembre 2026"),
        ("es", "5/11/26", "5 nov 2026", "5 de noviembre de 2026"),
        ("pt-BR", "05/11/2026", "5 de nov. de 2026", "5 de novembro de 2026"),
        ("it", "05/11/26", "5 nov 2026", "5 novembre 2026"),
        ("nl", "05-11-2026", "5 nov 2026", "5 november 2026"),
        ("sv-SE", "2026-11-05", "5 nov. 2026", "5 november 2026"),
        ("ja", "2026/11/05", "2026/11/05", "2026年11月5日"),
        ("zh-Hans-CN", "2026/11/5", "2026年11月5日", "2026年11月5日"),
        ("ko-KR", "2026. 11. 5.", "2026. 11. 5.", "2026년 11월 5일"),
        ("pl", "5.11.2026", "5 lis 2026", "5 listopada 2026"),
        ("hu", "2026. 11. 05.", "2026. nov. 5.", "2026. november 5."),
        ("tlh", "2026-11-05", "2026-11-05", "2026-11-05"), ("", "2026-11-05", "2026-11-05", "2026-11-05"),
    ])
    func `a date has the format of its language`(
        language: String, short: String, medium: String, long: String
    ) throws {
        for value in [
            "2026-11-05", "2026-11-05T10:00:00Z", "2026-11-05 10:00", "2026-11-05T23:59:59.5+02:00",
        ] {
            #expect(try title("date(short)", value, language) == short)
            #expect(try title("date", value, language) == medium)
            #expect(try title("date(medium)", value, language) == medium)
            #expect(try title("date(long)", value, language) == long)
        }
    }

    @Test(arguments: [
        "", "x", "-", "+", ".", "1.", ".5", "1,5", "1 000", "1e3", "--1", "1.2.3", " 1", "١", "0x1", "NaN",
        String(repeating: "1", count: 61),
    ])
    func `a value that is not a number is treated as missing`(value: String) throws {
        let wanted = value.isEmpty ? "v" : "v:number(2)"
        #expect(try rendered("number(2)", value, "en") == .missing(parameter: wanted))
        #expect(try title("number(2)|none", value, "en") == "none")
    }

    @Test(arguments: [
        "2026-02-29", "2026-13-01", "2026-00-10", "2026-01-00", "2026-04-31", "26-11-21", "2026/11/21",
        "2026-11-2", "2026-11-21T", "2026-11-21T9:00", "2026-11-21T24:00", "2026-11-21T10:60",
        "2026-11-21 10:00 x", "2026-11-21x", "1700000000", "0000-01-01", "2100-02-29",
    ])
    func `a value that is not a date is treated as missing`(value: String) throws {
        #expect(try rendered("date", value, "en") == .missing(parameter: "v:date"))
        #expect(try title("date(long)|soon", value, "en") == "soon")
    }

    @Test func `every language has a name for every month, and leap days are valid`() throws {
        for language in [
            "ar", "bg", "bn", "ca", "cs", "da", "el", "et", "fi", "fil", "hr", "id", "lt", "lv", "ms", "no",
            "nb", "ro", "ru", "sk", "sl", "sr", "th", "tr", "uk", "vi", "zh-TW", "es-PE", "it-CH", "nl-BE",
        ] {
            for month in 1...12 {
                let value = "2024-\(month < 10 ? "0" : "")\(month)-29"
                for style in ["short", "medium", "long"] {
                    let text = try title("date(\(style))", value, language)
                    #expect(text.contains("29") && text.contains("24") && !text.contains("MM"), "\(language)")
                }
            }
        }
    }
}
