import Foundation
import PushModel
import PushWire
import TestSupport
import Testing

@Suite struct RegistrationFormTests {
    private static let token = "70757368546f6b656e"

    private func read(_ body: String, _ platform: Platform = .android)
        -> Result<DeviceRegistration, RegistrationRefusal>
    {
        Result { () throws(RegistrationRefusal) in
            try RegistrationForm.read(Array(body.utf8), platform: platform)
        }
    }

    private func registration(_ body: String, _ platform: Platform = .android) throws -> DeviceRegistration {
        try read(body, platform).get()
    }

    @Test(arguments: ["UTF-8", "ISO-8859-1", "windows-1252", "utf-16"])
    func `parameters are the text in the form, whatever encoding their XML declares`(encoding: String) throws
    {
        let xml =
            "%3C%3Fxml+version%3D%221.0%22+encoding%3D%22\(encoding)%22%3F%3E%3CadditionalParams%3E"
            + "%3Cparam+name%3D%22city%22+value%3D%22%C3%89vry%22%2F%3E%3C%2FadditionalParams%3E"
        let read = try registration(
            "registrationToken=\(Self.token)&mobileAppUuid=key&additionalParams=\(xml)")
        #expect(read.parameters == [RegistrationParameter(name: "city", value: "Évry")])
    }

    // MARK: What the SDKs send

    private struct Vector: Decodable {
        struct Expected: Decodable {
            var request: Bool
            var body: String?
            var bodyContains: [String]?
        }
        var id: String
        var platform: Platform
        var expected: Expected

        private enum Key: CodingKey { case id, platform, expected }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            id = try container.decode(String.self, forKey: .id)
            let name = try container.decode(String.self, forKey: .platform)
            platform = try #require(Platform(rawValue: name))
            expected = try container.decode(Expected.self, forKey: .expected)
        }
    }

    static func vectors<Value: Decodable>(_ name: String) throws -> [Value] {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Vectors/\(name).json")
        return try JSONDecoder().decode([Value].self, from: try Data(contentsOf: file))
    }

    @Test func `every request from both SDKs is parsed, field by field`() throws {
        var count = 0
        let all: [Vector] = try Self.vectors("sdk-registration")
        for vector in all where vector.expected.request {
            let pieces = vector.expected.body.map { [$0] } ?? vector.expected.bodyContains ?? []
            guard !pieces.isEmpty else { continue }
            count += 1
            var body = pieces.map { $0.trimmingCharacters(in: ["&"]) }.joined(separator: "&")
            // The string that the iOS SDK's tests use as a token is not hexadecimal, and some of these tests
            // contain only one or two fields.
            body = body.replacing("registrationToken=deviceToken", with: "registrationToken=\(Self.token)")
            if !body.contains("registrationToken=") { body += "&registrationToken=\(Self.token)" }
            if !body.contains("mobileAppUuid=") { body += "&mobileAppUuid=testIntegrationKey" }
            let read = try registration(body, vector.platform)
            #expect(!read.token.isEmpty && !read.integrationKey.isEmpty, "\(vector.id)")
            if body.contains("additionalParams=") { #expect(read.parameters != nil, "\(vector.id)") }
            for (piece, value) in [
                ("userKey=userKey", read.userKey == "userKey"), ("osName=iOS", read.device.osName == "iOS"),
                ("deviceModel=iPhone", read.device.model == "iPhone"),
                ("osLanguage=en-US", read.device.language == "en-US"),
                ("userKey=&", read.userKey == ""), ("deviceImei=12345", read.device.id == "12345"),
                ("deviceBrand=mockDeviceBrand", read.device.brand == "mockDeviceBrand"),
            ] where (body + "&").contains(piece) { #expect(value, "\(vector.id): \(piece)") }
        }
        #expect(count >= 9)
    }

    private struct ParameterVector: Decodable {
        struct Expected: Decodable {
            var xml: String
            var encoded: String
        }
        struct Given: Decodable {
            var name: String
            var value: JSONScalar?
        }
        var id: String
        var input: [Given]?
        var expected: Expected
    }

    /// A value as the SDKs write it.
    private struct JSONScalar: Decodable {
        var text: String
        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let bool = try? container.decode(Bool.self) {
                text = "\(bool)"
            } else if let integer = try? container.decode(Int.self) {
                text = "\(integer)"
            } else if let number = try? container.decode(Double.self) {
                text = "\(number)"
            } else {
                text = try container.decode(String.self)
            }
        }
    }

    @Test func `the additional parameters from both SDKs are the values that the app set`() throws {
        let all: [ParameterVector] = try Self.vectors("sdk-additional-params")
        #expect(all.count == 12)
        for vector in all {
            let read = try registration(
                "registrationToken=t&mobileAppUuid=k&additionalParams=\(vector.expected.encoded)")
            var wanted: [RegistrationParameter] = []
            for given in vector.input ?? [] where !given.name.isEmpty {
                guard var value = given.value?.text else { continue }
                if given.name == "char" { value = "97" }
                value.removeAll { $0 == "\r\n" || $0 == "\r" || $0 == "\n" }
                wanted.append(RegistrationParameter(name: given.name, value: value))
            }
            #expect(read.parameters == wanted.sorted { $0.name < $1.name }, "\(vector.id)")
            #expect(
                try AdditionalParameters.read(Array(vector.expected.xml.utf8)) == read.parameters,
                "\(vector.id)")
        }
    }

    @Test
    func
        `an iOS token is hexadecimal and becomes lower case, and an Android token is any visible ASCII text`()
        throws
    {
        #expect(try registration("registrationToken=AB01&mobileAppUuid=k", .ios).token == "ab01")
        #expect(try registration("registrationToken=dX:APA91-_x%2B&mobileAppUuid=k").token == "dX:APA91-_x+")
        for (token, platform) in [
            ("dX:APA91", .ios), ("abc", .ios), ("a%20b", .android), ("%C3%A9", .android),
        ]
            as [(String, Platform)]
        {
            guard case .failure(.token) = read("registrationToken=\(token)&mobileAppUuid=k", platform) else {
                Issue.record("\(token) was taken on \(platform)")
                continue
            }
        }
    }

    @Test func `a missing field is empty, and an unknown field is ignored`() throws {
        let read = try registration("future=1&registrationToken=t&mobileAppUuid=k&&x")
        #expect(read == DeviceRegistration(token: "t", integrationKey: "k"))
        #expect(try registration("registrationToken=t&mobileAppUuid=k&additionalParams=").parameters == nil)
        let empty = "registrationToken=t&mobileAppUuid=k&additionalParams=%3CadditionalParams/%3E"
        #expect(try registration(empty).parameters == [])
    }

    @Test func `spaces are accepted as percent escapes and as plus signs`() throws {
        let read = try registration("registrationToken=t&mobileAppUuid=my+key&userKey=a%20b%2Bc")
        #expect(read.integrationKey == "my key" && read.userKey == "a b+c")
    }

    @Test func `text that a device reports about itself is made printable`() throws {
        let read = try registration(
            "registrationToken=t&mobileAppUuid=k&deviceName=Ann%0A%1B[31m%FF&deviceModel="
                + String(repeating: "x", count: 1_000))
        #expect(read.device.name == #"Ann\n\u{1B}[31m\xFF"#)
        #expect(read.device.model.count == RegistrationForm.factCharacters + 1)
    }

    // MARK: What is refused

    private static let otherType = """
        it must be application/x-www-form-urlencoded, such as \
        registrationToken=TOKEN&mobileAppUuid=KEY&userKey=USER, not JSON or multipart
        """

    @Test(
        arguments: [
            ("", .missing(field: "registrationToken")),
            ("registrationToken=&mobileAppUuid=k", .missing(field: "registrationToken")),
            ("registrationToken=t", .missing(field: "mobileAppUuid")),
            ("registrationToken=t&mobileAppUuid=", .missing(field: "mobileAppUuid")),
            ("registrationToken=t&registrationToken=u&mobileAppUuid=k", .doubled(field: "registrationToken")),
            ("registrationToken=t&mobileAppUuid=k&userKey=&userKey=x", .doubled(field: "userKey")),
            ("registrationToken=t&mobileAppUuid=k&osName=&osName=x", .doubled(field: "osName")),
            ("registrationToken=t&mobileAppUuid=k&userKey=a%00b", .notText(field: "userKey")),
            ("registrationToken=t&mobileAppUuid=%FF", .notText(field: "mobileAppUuid")),
            ("registrationToken=t&mobileAppUuid=k&deviceImei=%C3", .notText(field: "deviceImei")),
            (
                "registrationToken=t&mobileAppUuid=k&userKey=%4",
                .form(why: "field 3 has a % that is not followed by two hex digits")
            ),
            (#"{"registrationToken": "t", "mobileAppUuid": "k"}"#, .form(why: otherType)),
            (
                "--x\r\nContent-Disposition: form-data; name=\"registrationToken\"\r\n\r\nt\r\n--x--\r\n",
                .form(why: otherType)
            ),
            (
                "registrationToken=t&mobileAppUuid=k&userkey=u",
                .form(why: "field 3 must be named userKey, with these capital letters")
            ),
            (
                "registrationToken=t&mobileAppUuid=k&additionalParameters=",
                .form(why: "the field additionalParameters must be named additionalParams")
            ),
            ("registrationToken=%zz", .form(why: "field 1 has a % that is not followed by two hex digits")),
        ] as [(String, RegistrationRefusal)])
    func `the error for an invalid field names the field`(body: String, refusal: RegistrationRefusal) {
        #expect(read(body) == .failure(refusal))
    }

    @Test(arguments: [
        ("registrationToken", SubscriberLimits.tokenBytes),
        ("mobileAppUuid", RegistrationForm.integrationKeyBytes),
        ("userKey", SubscriberLimits.userKeyBytes), ("deviceImei", RegistrationForm.deviceIDBytes),
    ])
    func `the error for a field that is too long names the field and its limit`(field: String, limit: Int) {
        func body(_ length: Int) -> String {
            var fields = ["registrationToken": "t", "mobileAppUuid": "k"]
            fields[field] = String(repeating: "x", count: length)
            return fields.map { "\($0)=\($1)" }.joined(separator: "&")
        }
        #expect((try? read(body(limit)).get()) != nil)
        #expect(read(body(limit + 1)) == .failure(.tooLong(field: field, limit: limit)))
    }

    @Test func `a body that is oversized, or has too many fields, is not parsed`() {
        let start = "registrationToken=t&mobileAppUuid=k&x="
        let room = RegistrationForm.maximumBytes - start.utf8.count
        #expect((try? read(start + String(repeating: "x", count: room)).get()) != nil)
        #expect(
            read(start + String(repeating: "x", count: room + 1))
                == .failure(.tooLarge(limit: RegistrationForm.maximumBytes)))
        guard case .failure(.form) = read(start + String(repeating: "&a", count: 64)) else {
            Issue.record("too many fields were taken")
            return
        }
    }

    @Test(arguments: [
        "<additionalParams>", "<param name='a' value='b'/>",
        "<additionalParams><param name='a'/></additionalParams>",
        "<additionalParams><param name='a' value='1'/><param value='2' name='a'/></additionalParams>",
        "<!DOCTYPE a [<!ENTITY b 'c'>]><additionalParams/>",
        "<additionalParams><param name='&b;' value='1'/></additionalParams>",
        "<a><b><c><d><e/></d></c></b></a>", "text", "<additionalParams/><additionalParams/>", "\u{0}",
        "<additionalParams><param name='a' value='&#0;'/></additionalParams>",
    ])
    func `parameters in a form that the SDKs do not write are refused`(xml: String) {
        let encoded = xml.utf8.map { "%" + (($0 < 16 ? "0" : "") + String($0, radix: 16)) }.joined()
        guard
            case .failure(.parameters) = read(
                "registrationToken=t&mobileAppUuid=k&additionalParams=\(encoded)")
        else {
            Issue.record("taken: \(xml)")
            return
        }
    }

    @Test(arguments: [
        ("<parameter name='a' value='1'/>", "1:19: the element must be param, not parameter"),
        ("<Param name='a' value='1'/>", "1:19: the element must be param, not Param"),
        ("<a:param xmlns:a='b' name='a' value='1'/>", "1:19: the element must be param, not a:param"),
        ("<params><param name='a' value='1'/></params>", "1:19: the element must be param, not params"),
        ("<param><name>a</name><value>1</value></param>", "1:19: param contains text or other elements"),
        ("<param name='a' value=''>1</param>", "1:19: param contains text or other elements"),
        ("<param key='a' value='1'/>", "1:19: param has no name or no value"),
        ("a=1", "1:1: additionalParams contains text"),
        ("<![CDATA[a]]>", "1:1: additionalParams contains text"),
    ])
    func `the error for parameters that would be ignored names the correct element`(
        inner: String, fault: String
    ) {
        let xml = "<additionalParams>\(inner)</additionalParams>"
        #expect(throws: RegistrationRefusal.parameters(why: fault + Self.correctForm)) {
            try AdditionalParameters.read(Array(xml.utf8))
        }
    }

    private static let correctForm = #"; write each parameter as <param name="city" value="Paris" />"#

    @Test func `attributes of the root are not parameters, except for namespaces`() throws {
        let fault = "1:19: additionalParams has the unknown attribute city"
        #expect(throws: RegistrationRefusal.parameters(why: fault + Self.correctForm)) {
            try AdditionalParameters.read(Array("<additionalParams city='Paris'/>".utf8))
        }
        let namespaces = "<additionalParams xmlns='a' xmlns:b='c' b:d='e'/>"
        #expect(try AdditionalParameters.read(Array(namespaces.utf8)) == [])
    }

    @Test func `parameters as JSON are refused, and the error shows the XML`() {
        #expect(
            read(#"registrationToken=t&mobileAppUuid=k&additionalParams={"city": "Paris"}"#)
                == .failure(
                    .parameters(
                        why: #"it must be XML: <additionalParams><param name="city" value="Paris" />"#
                            + "</additionalParams>")))
    }

    @Test func `parameters that no store accepts are refused with their size`() throws {
        func xml(_ bytes: Int) -> [UInt8] {
            // The store keeps this as {"a":"…"}.
            Array(
                "<additionalParams><param name='a' value='\(String(repeating: "x", count: bytes - 8))'/></additionalParams>"
                    .utf8)
        }
        #expect(try AdditionalParameters.read(xml(SubscriberLimits.parametersBytes)).count == 1)
        #expect(throws: RegistrationRefusal.self) {
            try AdditionalParameters.read(xml(SubscriberLimits.parametersBytes + 1))
        }
    }

    @Test func `mutated requests lead to a registration or a refusal, each in a limited time`() {
        var mutation = Mutation(seed: 16)
        let seeds = [
            "registrationToken=70757368546f6b656e&mobileAppUuid=key&userKey=user&deviceName=iPhone&osName=iOS"
                + "&osVersion=iOS%2016.4&osLanguage=en-US&additionalParams=%3CadditionalParams%3E%3Cparam%20name%3D%22"
                + "company%22%20value%3D%22xxx.corp%22%20%2F%3E%3C%2FadditionalParams%3E",
            "registrationToken=70757368&mobileAppUuid=key&additionalParams=<additionalParameters><param name=\"a\""
                + " value=\"&#39;b&amp;\"/></additionalParameters>",
        ].map { Array($0.utf8) }
        var registrations = 0
        for round in 0..<100_000 {
            let body = mutation.mutated(seeds[round % seeds.count])
            switch Result(catching: { () throws(RegistrationRefusal) in
                try RegistrationForm.read(body, platform: round % 3 == 0 ? .ios : .android)
            }) {
            case .success(let registration):
                registrations += 1
                #expect(!registration.token.utf8.contains(0) && !registration.userKey.utf8.contains(0))
                if let given = registration.parameters, let json = ParameterText.json(given) {
                    #expect(json.utf8.count <= SubscriberLimits.parametersBytes)
                }
            case .failure(let refusal): #expect(refusal.httpStatus >= 400)
            }
        }
        #expect(registrations > 5_000)
    }
}
