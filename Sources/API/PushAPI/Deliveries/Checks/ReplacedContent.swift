internal import PushModel
internal import PushWire

/// By what names a delivery's notifications can be replaced on devices, and of which of its apps.
///
/// Apple's devices replace by `apns-collapse-id`. Android's replace a notification that the system shows by its
/// `tag`; a `collapse_key` alone replaces what waits at FCM for devices that are away. A name that is another one
/// in one of the content's languages is none.
struct ReplacedContent {
    private let delivery: DeliveryID
    private let collapseID: String?
    private let tag: String?
    private let collapseKey: String?
    private let iosType: IOSContent.Kind
    private let androidType: AndroidContent.Kind

    /// Those whose devices can replace what they have.
    private(set) var apps: [App] = []
    /// Of which apps nothing is replaced, or not all, a line each.
    private(set) var warnings: [String] = []

    /// - Parameter apps: of the delivery, those that are there still.
    init(of first: Delivery, _ apps: [App]) throws {
        delivery = first.id
        let content = try ContentDocument.decode(first.order.contentJSON)
        func common(_ name: (Content) -> String?) -> String? {
            let names = Set(content.versions.map(name))
            return names.count == 1 ? names.first ?? nil : nil
        }
        collapseID = common { $0.ios.collapseID }
        collapseKey = common { $0.android.collapseKey }
        tag = content.android.type == .notification ? common { $0.android.tag } : nil
        (iosType, androidType) = (content.ios.type, content.android.type)
        for app in apps {
            switch app.settings.platform {
            case .ios where app.settings.connector == .ios:
                leaveOut(app, "the binary protocol of its connector has no collapse id")
            case .ios where collapseID == nil: leaveOut(app, "the content had no ios.collapseId")
            case .android where tag == nil && collapseKey == nil:
                leaveOut(app, "the content had no android.tag of a notification, and no android.collapseKey")
            case .android where tag == nil:
                self.apps.append(app)
                warnings.append(
                    "app \(app.name): android.collapseKey replaces what waits for devices that are away; one "
                        + "that has shown the first shows the second beside it, unless the app replaces it")
            default: self.apps.append(app)
            }
        }
    }

    private mutating func leaveOut(_ app: App, _ why: String) {
        warnings.append(
            "app \(app.name): nothing replaces what its devices have, and they are left out: \(why)")
    }

    /// Where there is no app whose devices can replace anything.
    var refusal: String {
        "delivery \(delivery) cannot be replaced on devices: its content has neither ios.collapseId nor android.tag "
            + "nor android.collapseKey that its apps are sent, and nobody can take back what a gateway has taken; "
            + "\(see: StopDelivery(id: delivery)) stops what is not sent yet"
    }

    /// A content with the names of the first, which it must not give otherwise.
    func named(
        _ content: JSONValue, refusal: (String) -> OperationError
    ) throws(OperationError) -> JSONValue {
        var content = content
        let names: [(platform: String, key: String, value: String?)] = [
            ("ios", "type", iosType.rawValue), ("ios", "collapseId", collapseID),
            ("android", "type", androidType.rawValue), ("android", "tag", tag),
            ("android", "collapseKey", collapseKey),
        ]
        for (platform, key, value) in names {
            guard let value, apps.contains(where: { $0.settings.platform.rawValue == platform }) else {
                continue
            }
            guard let filled = content.filled(platform, key, .string(value)) else {
                throw refusal(
                    "content.\(platform).\(key): not that of delivery \(delivery), which it is to replace; "
                        + "leave it out")
            }
            content = filled
        }
        return content
    }

    /// A language of its own might say another name.
    func check(_ content: Content, refusal: (String) -> OperationError) throws(OperationError) {
        let platforms = Set(apps.map(\.settings.platform))
        let isOther = content.versions.contains { version in
            platforms.contains(.android)
                && (version.android.tag != tag && tag != nil
                    || version.android.collapseKey != collapseKey && collapseKey != nil)
        }
        guard isOther else { return }
        throw refusal(
            "content.languages: one has an android.tag or android.collapseKey of its own, and would replace "
                + "nothing; leave it out")
    }
}

extension JSONValue {
    /// With a member of a member, unless it has another value; nil then. What is no object is left as it is, to
    /// be refused where it stands.
    fileprivate func filled(_ outer: String, _ inner: String, _ value: JSONValue) -> JSONValue? {
        guard case .object(var members) = self else { return self }
        guard let place = members.firstIndex(where: { $0.key == outer }) else {
            return .object(
                members + [JSONMember(key: outer, value: .object([JSONMember(key: inner, value: value)]))])
        }
        guard case .object(let named) = members[place].value else { return self }
        if let present = named.first(where: { $0.key == inner }) {
            return present.value == value ? self : nil
        }
        members[place].value = .object(named + [JSONMember(key: inner, value: value)])
        return .object(members)
    }
}
