import GatewayAPNs
import GatewayFCM
import PushModel
import PushWire
import TestContents
import TestSupport
import Testing

@Suite struct ContentDocumentTests {
    private func decode(_ text: String) throws(WireError) -> Content {
        try ContentDocument.decode(Array(text.utf8))
    }

    private func findings(_ text: String) -> [String] {
        do {
            _ = try decode(text)
            return []
        } catch {
            return error.lines
        }
    }

    private var everything: Content {
        var content = Content(
            title: "T", body: "B", variables: ["b": "2\u{1}", "a": "é"],
            custom: [
                CustomMember(name: "offer", value: .json(#"{"id":1,"tags":["a","\"b\""],"x":-0.5}"#)),
                CustomMember(name: "kind", value: .text("7")), CustomMember(name: "n", value: .json("7")),
            ])
        content.shortens = true
        content.ios.subtitle = "S"
        content.ios.badge = 0
        content.ios.sound = .critical(name: "alarm", volume: 55)
        content.ios.category = "C"
        content.ios.mutableContent = true
        content.ios.contentAvailable = true
        content.ios.threadID = "H"
        content.ios.targetContentID = "G"
        content.ios.interruptionLevel = .timeSensitive
        content.ios.relevanceScore = 0.3
        content.ios.launchImage = "L"
        content.ios.titleLocKey = "tk"
        content.ios.titleLocArgs = ["1", "1"]
        content.ios.subtitleLocKey = "sk"
        content.ios.subtitleLocArgs = ["2"]
        content.ios.bodyLocKey = "bk"
        content.ios.bodyLocArgs = ["3"]
        content.ios.actionLocKey = "ak"
        content.ios.collapseID = "order 1"
        content.ios.priority = .whenPowerAllows
        content.android.type = .notification
        content.android.priority = .normal
        content.android.channelID = "ch"
        content.android.sound = "s"
        content.android.color = "#00ffAA"
        content.android.icon = "i"
        content.android.image = "https://example.com/i.png"
        content.android.tag = "t"
        content.android.clickAction = "c"
        content.android.ticker = "k"
        content.android.sticky = true
        content.android.notificationCount = 4
        content.android.notificationPriority = .minimum
        content.android.visibility = .secret
        content.android.collapseKey = "n"
        content.android.restrictedPackageName = "com.example"
        content.android.validateOnly = true
        content.android.directBootOK = true
        content.android.bandwidthConstrainedOK = true
        content.android.restrictedSatelliteOK = true
        content.android.analyticsLabel = "sale-1_0.~%"
        content.android.proxy = .ifPriorityLowered
        content.android.titleLocKey = "tk"
        content.android.titleLocArgs = ["1", "1"]
        content.android.bodyLocKey = "bk"
        content.android.bodyLocArgs = ["2"]
        content.android.localOnly = true
        content.android.defaultSound = true
        content.android.defaultVibrateTimings = true
        content.android.defaultLightSettings = true
        content.android.eventTime = WallTime(secondsSince1970: 1_795_255_200)
        content.android.vibrateTimings = ["0.5s", "1s", "0.5s"]
        content.android.lightSettings = .init(color: "#00ffAA80", onDuration: "1s", offDuration: "0.25s")
        return content
    }

    @Test func `a content with all members is unchanged after encoding and decoding`() throws {
        #expect(try ContentDocument.decode(ContentDocument.encode(everything)) == everything)
    }

    @Test(arguments: IOSContent.Kind.allCases)
    func `content of each type is unchanged after encoding and decoding`(type: IOSContent.Kind) throws {
        for priority in [nil] + type.priorities {
            var content = Content(variables: ["v": "1"])
            content.ios.type = type
            content.ios.priority = priority
            content.ios.collapseID = "c"
            #expect(try ContentDocument.decode(ContentDocument.encode(content)) == content)
        }
    }

    @Test func `contents that an earlier version stored are read with their original meaning`() throws {
        let kept = try decode(
            #"{"title":"T","variables":{"a":"1"},"ios":{"type":"silent","contentAvailable":true},"#
                + #""android":{"channelId":"ch","collapseKey":"k"}}"#)
        #expect(kept.title == "T" && kept.ios.type == .silent && kept.ios.contentAvailable)
        #expect(kept.android.type == .data && kept.android.channelID == "ch" && kept.custom.isEmpty)
        #expect(kept.ios.priority == nil && kept.ios.collapseID == nil)
    }

    @Test func `custom members keep their nesting, and strings stay distinct from similar values`() throws {
        let content = try decode(
            ##"{"custom": {"b": {"z": [1, 2.5, true, null], "a": "x"}, "a": "{\"q\":1}", "c": 9223372036854775807}}"##
        )
        #expect(
            content.custom == [
                CustomMember(name: "a", value: .text(#"{"q":1}"#)),
                CustomMember(name: "b", value: .json(#"{"z":[1,2.5,true,null],"a":"x"}"#)),
                CustomMember(name: "c", value: .json("9223372036854775807")),
            ])
        #expect(
            content.custom.map(\.text) == [
                #"{"q":1}"#, #"{"z":[1,2.5,true,null],"a":"x"}"#, "9223372036854775807",
            ])
        #expect(try ContentDocument.decode(ContentDocument.encode(content)) == content)
    }

    @Test func `each content has one canonical encoding`() throws {
        let first = try decode(#"{"variables":{"b":"2","a":"1"},"body":"é","ios":{"type":"alert"}}"#)
        let second = try decode(#" { "ios" : {} , "body" : "\u00e9", "variables" : { "a":"1", "b":"2" } } "#)
        #expect(ContentDocument.encode(first) == ContentDocument.encode(second))
        #expect(
            String(decoding: ContentDocument.encode(first), as: UTF8.self)
                == #"{"body":"é","variables":{"a":"1","b":"2"}}"#)
    }

    @Test func `texts of every kind are unchanged after encoding and decoding`() throws {
        var dice = SeededRandom(seed: 3)
        for _ in 0..<500 {
            var content = Content(
                title: dice.text(atMost: 30), body: dice.text(atMost: 30),
                variables: ["x" + dice.text(atMost: 8): dice.text(atMost: 30)])
            content.ios.category = dice.text(atMost: 10)
            content.ios.relevanceScore = Double.random(in: 0...1, using: &dice)
            #expect(
                ContentDocument.encode(try ContentDocument.decode(ContentDocument.encode(content)))
                    == ContentDocument.encode(content))
        }
    }

    @Test func `a sound is either a name or a critical alert`() throws {
        #expect(try decode(#"{"ios":{"sound":"default"}}"#).ios.sound == .named("default"))
        #expect(try decode(#"{"ios":{"sound":{"name":"a"}}}"#).ios.sound == .critical(name: "a", volume: 100))
        #expect(
            try decode(#"{"ios":{"sound":{"name":"a","volume":0}}}"#).ios.sound
                == .critical(name: "a", volume: 0))
    }

    @Test(arguments: [
        (#"[]"#, "content: must be an object, not an array"),
        (
            #"{"titel":"x"}"#,
            "content.titel: unknown; allowed: title, body, shorten, variables, custom, ios, android, languages"
        ),
        (#"{"title":7}"#, "content.title: must be a string, not an integer"),
        (#"{"body":null}"#, "content.body: must be a string, not null"),
        (
            #"{"title":"Hello {{firstName}"}"#,
            "content.title: {{ at character 7: is not closed by }}"
        ),
        (
            #"{"variables":{"v":"{{"}}"#,
            "content.variables.v: {{ at character 1: is not closed by }}"
        ),
        (#"{"variables":["v"]}"#, "content.variables: must be an object, not an array"),
        (#"{"variables":{"v":1}}"#, "content.variables.v: must be a string, not an integer"),
        (
            #"{"variables":{"aps":"1"}}"#,
            "content.variables.aps: reserved on ios; give the variable another name"
        ),
        (
            #"{"variables":{"_mId":"1"}}"#,
            "content.variables._mId: reserved on ios; give the variable another name"
        ),
        (#"{"variables":{"":"1"}}"#, "content.variables.: the variable's name must not be empty"),
        (
            #"{"android":{},"variables":{"gcm.a":"1"}}"#,
            "content.variables.gcm.a: reserved on android; give the variable another name"
        ),
        (
            #"{"ios":{"badge":"3"}}"#,
            "content.ios.badge: must be an integer from 0 to 2147483647, not a string"
        ),
        (
            #"{"ios":{"badge":-1}}"#,
            "content.ios.badge: must be an integer from 0 to 2147483647"
        ),
        (
            #"{"ios":{"badge":1.5}}"#,
            "content.ios.badge: must be an integer from 0 to 2147483647, not a number"
        ),
        (
            #"{"ios":{"badge":true}}"#,
            "content.ios.badge: must be an integer from 0 to 2147483647, not a boolean"
        ),
        (
            #"{"ios":{"mutableContent":1}}"#,
            "content.ios.mutableContent: must be true or false, not an integer"
        ),
        (
            #"{"ios":{"type":"banner"}}"#,
            "content.ios.type: must be one of alert, silent, voip, complication, fileprovider, location, "
                + "pushtotalk, controls, widgets"
        ),
        (
            #"{"ios":{"interruptionLevel":3}}"#,
            "content.ios.interruptionLevel: must be one of passive, active, time-sensitive, critical, "
                + "not an integer"
        ),
        (
            #"{"ios":{"relevanceScore":50}}"#,
            "content.ios.relevanceScore: must be a number from 0 to 1"
        ),
        (
            #"{"ios":{"relevanceScore":"1"}}"#,
            "content.ios.relevanceScore: must be a number from 0 to 1, not a string"
        ),
        (
            #"{"ios":{"sound":3}}"#,
            #"content.ios.sound: must be a string, or {"name", "volume"} for a critical alert, not an integer"#
        ),
        (#"{"ios":{"sound":{"volume":3}}}"#, "content.ios.sound.name: missing"),
        (
            #"{"ios":{"sound":{"name":"a","volume":101}}}"#,
            "content.ios.sound.volume: must be an integer from 0 to 100"
        ),
        (
            #"{"ios":{"sound":{"name":"a","loud":1}}}"#,
            "content.ios.sound.loud: unknown; allowed: name, volume"
        ),
        (
            #"{"ios":{"type":"silent","badge":1}}"#,
            #"content.ios.badge: a silent push is not shown; remove it, or set ios.type to "alert""#
        ),
        (
            #"{"ios":{"type":"silent","contentAvailable":false}}"#,
            "content.ios.contentAvailable: a silent push is always content-available; remove it"
        ),
        (
            #"{"ios":{"type":"voip","contentAvailable":true}}"#,
            #"content.ios.contentAvailable: a voip push is not shown; remove it, or set ios.type to "alert""#
        ),
        (
            #"{"ios":{"type":"silent","subtitleLocKey":"k"}}"#,
            #"content.ios.subtitleLocKey: a silent push is not shown; remove it, or set ios.type to "alert""#
        ),
        (
            #"{"ios":{"type":"silent","priority":10}}"#,
            "content.ios.priority: must be one of 5 for type silent"
        ),
        (
            #"{"ios":{"type":"location","priority":1}}"#,
            "content.ios.priority: must be one of 5, 10 for type location"
        ),
        (
            #"{"ios":{"priority":"high"}}"#,
            "content.ios.priority: must be one of 1, 5, 10 for type alert, not a string"
        ),
        (
            #"{"ios":{"collapseId":"é"}}"#,
            "content.ios.collapseId: must be 1 to 64 printable ASCII characters without a space at either end"
        ),
        (
            #"{"ios":{"subtitleLocArgs":["a"]}}"#,
            "content.ios.subtitleLocArgs: arguments without a text; add subtitleLocKey"
        ),
        (
            #"{"ios":{"bodyLocKey":"k","bodyLocArgs":["{{"]}}"#,
            "content.ios.bodyLocArgs[0]: {{ at character 1: is not closed by }}"
        ),
        (#"{"custom":[1]}"#, "content.custom: must be an object, not an array"),
        (#"{"custom":{"aps":1}}"#, "content.custom.aps: reserved on ios; give the member another name"),
        (
            #"{"custom":{"from":1},"android":{}}"#,
            "content.custom.from: reserved on android; give the member another name"
        ),
        (#"{"custom":{"":1}}"#, "content.custom.: the member's name must not be empty"),
        (
            #"{"custom":{"a":1},"variables":{"a":"1"}}"#,
            "content.custom.a: a variable has the same name"
        ),
        (
            #"{"custom":{"a":{"b":[0,18446744073709551616]}}}"#,
            "content.custom.a.b[1]: a number that exceeds 64 bits; write it as a string"
        ),
        (
            #"{"custom":{"a":{"b":["{{x}}"]}}}"#,
            "content.custom.a: must not contain {{: it is the same for all messages of a delivery"
        ),
        (
            #"{"android":{"analyticsLabel":"a b"}}"#,
            "content.android.analyticsLabel: must be a label: 1 to 50 of the letters A to Z and a to z, "
                + "digits and -_.~%"
        ),
        (
            #"{"android":{"directBootOk":1}}"#,
            "content.android.directBootOk: must be true or false, not an integer"
        ),
        (
            #"{"android":{"proxy":"ALLOW"}}"#,
            "content.android.proxy: must be one of allow, deny, ifPriorityLowered"
        ),
        (
            #"{"android":{"color":"red"}}"#,
            "content.android.color: must be a colour: # and six hex digits"
        ),
        (
            #"{"android":{"visibility":"hidden"}}"#,
            "content.android.visibility: must be one of public, private, secret"
        ),
        (
            #"{"android":{"titleLocArgs":["a"]}}"#,
            "content.android.titleLocArgs: arguments without a text; add titleLocKey"
        ),
        (
            #"{"android":{"bodyLocKey":"k","bodyLocArgs":["a",7]}}"#,
            "content.android.bodyLocArgs[1]: must be a string, not an integer"
        ),
        (
            #"{"android":{"vibrateTimings":"1s"}}"#,
            "content.android.vibrateTimings: must be an array of strings, not a string"
        ),
        (
            #"{"android":{"vibrateTimings":["1s","1"]}}"#,
            "content.android.vibrateTimings[1]: must be a duration in seconds, such as 0.5s"
        ),
        (
            #"{"android":{"eventTime":"now"}}"#,
            "content.android.eventTime: must be \(WallTime.allowed)"
        ),
        (
            ##"{"android":{"lightSettings":{"color":"#000000","onDuration":"1s"}}}"##,
            "content.android.lightSettings.offDuration: missing"
        ),
        (
            ##"{"android":{"lightSettings":{"color":"#0000000","onDuration":"1s","offDuration":"1s"}}}"##,
            "content.android.lightSettings.color: must be a colour: # and six or eight hex digits"
        ),
        (
            ##"{"android":{"lightSettings":{"color":"#000000","onDuration":".5s","offDuration":"1s"}}}"##,
            "content.android.lightSettings.onDuration: must be a duration in seconds, such as 0.5s"
        ),
        (
            #"{"android":{"restrictedPackageName":"com..x"}}"#,
            "content.android.restrictedPackageName: must be the name of an app, such as com.example.app"
        ),
        (
            #"{"android":{"validateOnly":"yes"}}"#,
            "content.android.validateOnly: must be true or false, not a string"
        ),
    ])
    func `an error states its path, the found value and the allowed values`(text: String, finding: String) {
        #expect(findings(text) == [finding])
    }

    @Test func `all errors are reported together`() {
        #expect(
            findings(#"{"titel":1,"body":2,"ios":{"badge":"x","sond":"y"},"android":{"sticky":3}}"#).count
                == 5)
    }

    @Test func `a text that is not JSON is reported with the position of the fault`() {
        #expect(findings("{\"title\":}") == ["content: line 1, column 10: a value is expected"])
    }
}
