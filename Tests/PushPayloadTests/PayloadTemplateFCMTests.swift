import Foundation
import GatewayFCM
import PushModel
import PushPayload
import TestSupport
import Testing

@Suite struct PayloadTemplateFCMTests {
    private let identity = OpaqueID(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210)
    private let token = "fcm-TOKEN_1:APA91b"

    private func template(
        _ content: Content, variables: [AppVariable] = [], tracking: Bool = false,
        idFormat: MessageIDFormat = .uuid, envelope: AndroidEnvelope = AndroidEnvelope(),
        limitBytes: Int = 4096
    ) throws(PayloadError) -> PayloadTemplate {
        try PayloadTemplate.android(
            content: content, variables: variables, delivery: DeliveryID(rawValue: 77), tracking: tracking,
            idFormat: idFormat, envelope: envelope, limitBytes: limitBytes)
    }

    private func body(
        _ content: Content, variables: [AppVariable] = [], tracking: Bool = false,
        idFormat: MessageIDFormat = .uuid, envelope: AndroidEnvelope = AndroidEnvelope()
    ) throws -> String {
        let template = try template(
            content, variables: variables, tracking: tracking, idFormat: idFormat, envelope: envelope)
        let token = Array((template.takesTokenList ? "\"a\",\"b\"" : token).utf8)
        let bytes = template.rendered(identity: identity, integerID: 42, token: token, secondsToLive: 3_600)
            .bytes
        return String(decoding: try #require(bytes), as: UTF8.self)
    }

    private var notification: Content {
        var content = Content(title: "T", body: "B", variables: ["b": "2", "a": "1"])
        content.android.type = .notification
        content.android.priority = .normal
        content.android.collapseKey = "news"
        content.android.restrictedPackageName = "com.example"
        content.android.channelID = "ch"
        content.android.icon = "i"
        content.android.sound = "s"
        content.android.tag = "t"
        content.android.color = "#00ff33"
        content.android.clickAction = "OPEN"
        content.android.image = "https://example.com/i.png"
        content.android.ticker = "k"
        content.android.sticky = true
        content.android.visibility = .secret
        content.android.notificationPriority = .minimum
        content.android.notificationCount = 4
        return content
    }

    // MARK: HTTP v1

    @Test func `a data message consists only of data, which has ids and variables in addition to its texts`()
        throws
    {
        #expect(
            try body(Content(title: "T", body: "B", variables: ["b": "2", "a": "1"]), tracking: true)
                == #"{"message":{"token":"fcm-TOKEN_1:APA91b","data":{"_msg":"B","title":"T","#
                + #""_mId":"01234567-89ab-cdef-fedc-ba9876543210","_dId":"77","a":"1","b":"2"},"#
                + #""android":{"priority":"HIGH","ttl":"3600s"}}}"#)
        #expect(
            try body(Content(body: "B"), tracking: true, idFormat: .integer)
                == #"{"message":{"token":"fcm-TOKEN_1:APA91b","data":{"_msg":"B","_mId":"42","_dId":"77"},"#
                + #""android":{"priority":"HIGH","ttl":"3600s"}}}"#)
    }

    @Test func `a data message contains no display options`() throws {
        var content = notification
        content.android.type = .data
        #expect(
            try body(content)
                == #"{"message":{"token":"fcm-TOKEN_1:APA91b","data":{"_msg":"B","title":"T","a":"1","b":"2"},"#
                + #""android":{"collapse_key":"news","priority":"NORMAL","ttl":"3600s","#
                + #""restricted_package_name":"com.example"}}}"#)
    }

    @Test func `every field of a notification message is at the place where FCM expects it`() throws {
        #expect(
            try body(notification, tracking: true)
                == #"{"message":{"token":"fcm-TOKEN_1:APA91b","notification":{"title":"T","body":"B","#
                + #""image":"https://example.com/i.png"},"data":{"_mId":"01234567-89ab-cdef-fedc-ba9876543210","#
                + #""_dId":"77","a":"1","b":"2"},"android":{"collapse_key":"news","priority":"NORMAL","ttl":"3600s","#
                + #""restricted_package_name":"com.example","notification":{"channel_id":"ch","icon":"i","sound":"s","#
                + ##""tag":"t","color":"#00ff33","click_action":"OPEN","ticker":"k","sticky":true,"##
                + #""visibility":"SECRET","notification_priority":"PRIORITY_MIN","notification_count":4}}}}"#)
    }

    @Test func `FCM options that Campaign's form does not have are sent too`() throws {
        var content = Content()
        content.android.type = .notification
        content.android.titleLocKey = "tk"
        content.android.titleLocArgs = ["1", "\""]
        content.android.bodyLocKey = "bk"
        content.android.bodyLocArgs = ["2"]
        content.android.eventTime = WallTime(secondsSince1970: 1_795_255_200)
        content.android.localOnly = true
        content.android.defaultSound = true
        content.android.defaultVibrateTimings = true
        content.android.defaultLightSettings = true
        content.android.vibrateTimings = ["0.5s", "1s"]
        content.android.lightSettings = .init(color: "#ff0033", onDuration: "1s", offDuration: "0.5s")
        #expect(
            try body(content)
                == #"{"message":{"token":"fcm-TOKEN_1:APA91b","notification":{},"android":{"priority":"HIGH","#
                + #""ttl":"3600s","notification":{"title_loc_key":"tk","title_loc_args":["1","\""],"#
                + #""body_loc_key":"bk","body_loc_args":["2"],"event_time":"2026-11-21T10:00:00Z","local_only":true,"#
                + #""default_sound":true,"default_vibrate_timings":true,"default_light_settings":true,"#
                + #""vibrate_timings":["0.5s","1s"],"light_settings":{"color":{"red":1.0,"green":0.0,"blue":0.2,"#
                + #""alpha":1.0},"light_on_duration":"1s","light_off_duration":"0.5s"}}}}}"#)
        content.android.lightSettings?.color = "#00000033"
        #expect(try body(content).contains(#""color":{"red":0.0,"green":0.0,"blue":0.0,"alpha":0.2}"#))
    }

    @Test(arguments: [
        (AndroidContent.NotificationPriority.default, "PRIORITY_DEFAULT"), (.minimum, "PRIORITY_MIN"),
        (.low, "PRIORITY_LOW"), (.high, "PRIORITY_HIGH"), (.maximum, "PRIORITY_MAX"),
    ])
    func `the priority of a notification has the name that FCM uses`(
        priority: AndroidContent.NotificationPriority, name: String
    ) throws {
        var content = Content(body: "B")
        content.android.type = .notification
        content.android.notificationPriority = priority
        #expect(try body(content).contains("\"notification_priority\":\"\(name)\""))
    }

    @Test func `the envelope and the content can each request a dry run`() throws {
        let start = #"{"validate_only":true,"message":{"token":"#
        #expect(try body(Content(body: "x"), envelope: AndroidEnvelope(validateOnly: true)).hasPrefix(start))
        var content = Content(body: "x")
        content.android.validateOnly = true
        #expect(try body(content).hasPrefix(start))
        #expect(
            try body(content, tracking: true, envelope: AndroidEnvelope(.legacy)).contains(
                #","dry_run":true,"#))
    }

    @Test func `a message without text wakes up the app`() throws {
        #expect(
            try body(Content()) == #"{"message":{"token":"fcm-TOKEN_1:APA91b","#
                + #""android":{"priority":"HIGH","ttl":"3600s"}}}"#)
    }

    // MARK: The legacy interface

    @Test func `the legacy interface receives the same content in the legacy format`() throws {
        #expect(
            try body(
                Content(title: "T", body: "B", variables: ["a": "1"]), tracking: true,
                envelope: AndroidEnvelope(.legacy))
                == #"{"to":"fcm-TOKEN_1:APA91b","priority":"high","time_to_live":3600,"data":{"_msg":"B","title":"T","#
                + #""_mId":"01234567-89ab-cdef-fedc-ba9876543210","_dId":"77","a":"1"}}"#)
        var content = notification
        content.android.titleLocKey = "tk"
        content.android.titleLocArgs = ["1", "\""]
        #expect(
            try body(content, tracking: true, idFormat: .integer, envelope: AndroidEnvelope(.legacy))
                == #"{"to":"fcm-TOKEN_1:APA91b","collapse_key":"news","priority":"normal","time_to_live":3600,"#
                + #""restricted_package_name":"com.example","notification":{"title":"T","body":"B","#
                + ##""android_channel_id":"ch","icon":"i","sound":"s","tag":"t","color":"#00ff33","##
                + #""click_action":"OPEN","title_loc_key":"tk","title_loc_args":"[\"1\",\"\\\"\"]"},"#
                + #""data":{"_mId":"42","_dId":"77","a":"1","b":"2"}}"#)
    }

    @Test func `if tracking is off, one legacy body serves many tokens`() throws {
        let legacy = AndroidEnvelope(.legacy)
        let shared = try template(Content(body: "B"), envelope: legacy)
        #expect(shared.isSameForAll)
        #expect(shared.takesTokenList)
        #expect(
            try body(Content(body: "B"), envelope: legacy)
                == #"{"registration_ids":["a","b"],"priority":"high","time_to_live":3600,"data":{"_msg":"B"}}"#
        )
        let own = try template(Content(body: "B"), tracking: true, envelope: legacy)
        #expect(!own.isSameForAll)
        #expect(!own.takesTokenList)
        let v1 = try template(Content(body: "B"))
        #expect(v1.isSameForAll)
        #expect(!v1.takesTokenList)
    }

    // MARK: What is refused

    @Test(arguments: [
        "_msg", "_mId", "_dId", "from", "message_type", "gcm", "gcm.x", "google", "google.y", "googles",
    ])
    func `a variable must not use a name that FCM or the SDK reads`(name: String) {
        #expect(throws: PayloadError.variablesReserved([name], .android)) {
            try template(Content(body: "x", variables: [name: "1"]))
        }
        #expect(throws: PayloadError.variablesReserved([name], .android)) {
            try template(Content(body: "x"), variables: [AppVariable(name: name, defaultValue: "1")])
        }
    }

    @Test func `declared variables have the same effect on Android as on iOS`() throws {
        let declared = [
            AppVariable(name: "lang", defaultValue: "en"), AppVariable(name: "url", defaultValue: nil),
        ]
        #expect(
            try body(Content(variables: ["url": "u"]), variables: declared).contains(
                #""data":{"lang":"en","url":"u"}"#))
        #expect(throws: PayloadError.variablesMissing(["url"])) {
            try template(Content(body: "x"), variables: declared)
        }
        // Variables that other apps in the delivery declare belong to those apps, even if their names are
        // reserved here.
        #expect(
            try body(Content(variables: ["url": "u", "google.x": "1"]), variables: declared).contains(
                #""data":{"lang":"en","url":"u"}"#))
    }

    @Test func `a notification requires a text, and a data message does not`() throws {
        var content = Content(title: "", variables: ["v": "1"])
        content.android.type = .notification
        content.android.image = "https://example.com/i.png"
        #expect(throws: PayloadError.noNotificationText) { try template(content) }
        content.android.bodyLocKey = "k"
        _ = try template(content)
    }

    // MARK: Size

    @Test(arguments: AndroidEnvelope.Interface.allCases, [AndroidContent.Kind.data, .notification])
    func `the limit is exact to the byte, and counts neither the token nor the envelope`(
        interface: AndroidEnvelope.Interface, kind: AndroidContent.Kind
    ) throws {
        func content(_ length: Int) -> Content {
            var content = Content(body: String(repeating: "y", count: length))
            content.android.type = kind
            content.android.tag = "t"
            content.android.collapseKey = String(repeating: "k", count: 200)
            return content
        }
        let envelope = AndroidEnvelope(interface)
        let empty = try template(content(1), tracking: true, envelope: envelope).widestBytes - 1
        let fitting = try template(content(4096 - empty), tracking: true, envelope: envelope)
        #expect(fitting.widestBytes == 4096)
        let longToken = [UInt8](repeating: UInt8(ascii: "T"), count: 4_096)
        let bytes = try #require(
            fitting.rendered(identity: identity, integerID: 1, token: longToken, secondsToLive: 2_419_200)
                .bytes)
        #expect(bytes.count > 8_192)
        #expect(throws: PayloadError.tooLong(bytes: 4097, limit: 4096)) {
            try template(content(4097 - empty), tracking: true, envelope: envelope)
        }
    }

    @Test func `the size is the text size of the data, the notification and the Android notification`() throws
    {
        let objects = [
            #"{"title":"T","body":"B","image":"https://example.com/i.png"}"#,
            #"{"_mId":"01234567-89ab-cdef-fedc-ba9876543210","_dId":"77","a":"1","b":"2"}"#,
            ##"{"channel_id":"ch","icon":"i","sound":"s","tag":"t","color":"#00ff33","click_action":"OPEN","##
                + #""ticker":"k","sticky":true,"visibility":"SECRET","notification_priority":"PRIORITY_MIN","#
                + #""notification_count":4}"#,
        ]
        #expect(
            try template(notification, tracking: true).widestBytes == objects.reduce(0) { $0 + $1.utf8.count }
        )
    }

    @Test func `a payload that exceeds the limit is measured as FCM would measure it, and is not rendered`()
        throws
    {
        let content = Content(body: "x")
        let size = try template(content, tracking: true, idFormat: .integer).widestBytes
        let tight = try template(content, tracking: true, idFormat: .integer, limitBytes: size)
        var buffer = [UInt8](repeating: 0x2A, count: 4096)
        let token = Array(token.utf8)
        let rendering = unsafe buffer.withUnsafeMutableBytes { buffer in
            unsafe token.withUnsafeBytes { token in
                unsafe tight.render(
                    into: buffer, identity: identity, integerID: 10_000_000_000, token: token,
                    secondsToLive: 1)
            }
        }
        #expect(rendering == .tooLarge(bytes: size + 1))
        #expect(buffer.allSatisfy { $0 == 0x2A })
    }

    @Test func `a buffer that is too small stays unchanged`() throws {
        let template = try template(Content(body: "x"), tracking: true)
        let token = Array("to\"ken\u{1}".utf8)
        let whole = try #require(
            template.rendered(identity: identity, integerID: 1, token: token, secondsToLive: 60).bytes)
        #expect(whole.count <= template.roomNeeded(tokenBytes: token.count))
        for room in 0...whole.count {
            var buffer = [UInt8](repeating: 0x2A, count: whole.count)
            let rendering = unsafe buffer.withUnsafeMutableBytes { buffer in
                unsafe token.withUnsafeBytes { token in
                    unsafe template.render(
                        into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<room]), identity: identity,
                        integerID: 1, token: token, secondsToLive: 60)
                }
            }
            if room == whole.count {
                #expect(rendering == .bytes(room))
                #expect(buffer == whole)
            } else {
                #expect(rendering == .tooLarge(bytes: whole.count))
                #expect(buffer.allSatisfy { $0 == 0x2A })
            }
        }
    }

    @Test func `a token appears unchanged in the body, whatever its characters`() throws {
        let template = try template(Content())
        for scalar in (UInt32(1)...0x7F).compactMap({ Unicode.Scalar($0) }) {
            let token = "a" + String(Character(scalar)) + "b"
            let bytes = try #require(
                template.rendered(identity: identity, integerID: 1, token: Array(token.utf8)).bytes)
            #expect(bytes.count <= template.roomNeeded(tokenBytes: 3))
            let root = try #require(
                try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: [String: Any]])
            #expect(scalars(root["message"]?["token"] as? String) == Array(token.unicodeScalars))
        }
    }

    // MARK: Whatever comes

    @Test(arguments: AndroidEnvelope.Interface.allCases)
    func `any content and any token become a JSON object with the same values`(
        interface: AndroidEnvelope.Interface
    ) throws {
        var dice = SeededRandom(seed: 20_261_121)
        for _ in 0..<1_000 {
            var content = Content(
                title: dice.text(atMost: 20), body: "·" + dice.text(atMost: 60),
                variables: [
                    "one" + dice.text(atMost: 5): dice.text(atMost: 30), "two": dice.text(atMost: 30),
                ])
            content.android.type = Bool.random(using: &dice) ? .data : .notification
            content.android.tag = Bool.random(using: &dice) ? dice.text(atMost: 9) : nil
            content.android.collapseKey = Bool.random(using: &dice) ? dice.text(atMost: 9) : nil
            let ordinal = Int64.random(in: 1...2_147_483_647, using: &dice)
            let seconds = Int64.random(in: 0...2_419_200, using: &dice)
            let token = dice.text(atMost: 200)
            let template = try template(
                content, tracking: true, idFormat: .integer, envelope: AndroidEnvelope(interface))
            let bytes = try #require(
                template.rendered(
                    identity: identity, integerID: ordinal, token: Array(token.utf8), secondsToLive: seconds
                ).bytes)
            let root = try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
            let isV1 = interface == .httpV1
            let message = isV1 ? try #require(root["message"] as? [String: Any]) : root
            #expect(scalars(message[isV1 ? "token" : "to"] as? String) == scalars(token))
            let options = isV1 ? try #require(message["android"] as? [String: Any]) : root
            #expect(scalars(options["collapse_key"] as? String) == scalars(content.android.collapseKey))
            if isV1 {
                #expect(options["ttl"] as? String == "\(seconds)s")
            } else {
                #expect(options["time_to_live"] as? Int64 == seconds)
            }
            let data = try #require(message["data"] as? [String: String])
            let isData = content.android.type == .data
            let shown = isData ? data : try #require(message["notification"] as? [String: String])
            let title = content.title?.isEmpty == true ? nil : content.title
            #expect(scalars(shown["title"]) == scalars(title))
            #expect(scalars(shown[isData ? "_msg" : "body"]) == scalars(content.body))
            #expect(data["_mId"] == String(ordinal))
            #expect(data["_dId"] == "77")
            for variable in content.variables {
                #expect(scalars(data[variable.name]) == scalars(variable.value))
            }
            #expect(data.count == 4 + (isData ? (title == nil ? 1 : 2) : 0))
        }
    }

    /// Returns the scalars of a text. Strings are compared by canonical equivalence; a gateway does not do
    /// this.
    private func scalars(_ text: String?) -> [Unicode.Scalar]? { text.map { Array($0.unicodeScalars) } }
}
