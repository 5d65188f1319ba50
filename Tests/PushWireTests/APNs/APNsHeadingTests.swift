import GatewayAPNs
import PushModel
import PushWire
import Testing

@Suite struct APNsHeadingTests {
    private func heading(_ type: IOSContent.Kind, priority: APNsPriority? = nil) -> APNsHeading {
        var ios = IOSContent()
        ios.type = type
        ios.priority = priority
        return APNsHeading(ios)
    }

    @Test
    func `a background push is sent when power allows, as Apple requires, and other pushes immediately`() {
        for type in IOSContent.Kind.allCases {
            #expect(heading(type).priority == (type == .silent ? .whenPowerAllows : .now))
        }
        #expect(heading(.silent).pushType == .background)
        #expect(heading(.alert, priority: .whenAwake).priority.rawValue == 1)
    }

    @Test func `the binary protocol has two priorities`() {
        #expect(heading(.alert).priority.binaryItem == 10)
        #expect(heading(.alert, priority: .whenPowerAllows).priority.binaryItem == 5)
        #expect(heading(.alert, priority: .whenAwake).priority.binaryItem == 5)
    }

    @Test func `a topic is the bundle id with the suffix for the push type`() {
        let bundleID = "com.example.voip"
        let topics = APNsPushType.allCases.filter { $0 != .alert && $0 != .background }.map {
            bundleID + $0.topicSuffix
        }
        #expect(Set(topics).count == topics.count && topics.allSatisfy(APNsRequest.isTopic))
        #expect(heading(.voip).topic(of: bundleID) == "com.example.voip.voip")
        #expect(heading(.alert).topic(of: bundleID) == bundleID)
        #expect(heading(.silent).topic(of: bundleID) == bundleID)
    }

    @Test func `a collapse id is a header field value of at most 64 bytes`() {
        for id in ["a", "order 4711", String(repeating: "~", count: 64)] {
            #expect(IOSContent.isCollapseID(id))
        }
        for text in ["", " a", "a ", "a\nb", "é", "a\u{7F}", String(repeating: "a", count: 65)] {
            #expect(!IOSContent.isCollapseID(text))
        }
    }
}
