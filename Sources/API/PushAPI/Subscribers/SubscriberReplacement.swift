internal import PushModel
internal import PushStore

/// Explains which device replaces which when a device registers with another token.
enum SubscriberReplacement {
    static func word(_ recognition: DeviceRecognition) -> String {
        switch recognition {
        case .byID: "id"
        case .byToken: "token"
        case .unregistered: "none"
        }
    }

    /// - Parameter successor: When a device of the same person and model registered later.
    static func text(_ recognition: DeviceRecognition, successor: WallTime?) -> String {
        switch recognition {
        case .byID: return "the device sends an id, so a registration with another token replaces this token"
        case .unregistered:
            return "the subscriber was imported, or its device registered without data about itself, so the "
                + "device is not recognised if it gets another token"
        case .byToken: break
        }
        let rule =
            "the device sends no id, so another token becomes another subscriber, and this one stays until "
            + "its gateway reports the token as unregistered"
        guard let successor else { return rule }
        return """
            \(rule); a device of the same person and model registered with another token at \
            \(successor.utcText), so this may be the same device with its old token
            """
    }

    /// Returns, for each subscription whose device sends no id, when the next device of the same person and
    /// model first registered without an id.
    static func successors(among found: ArraySlice<SubscriberFacts>) -> [SubscriptionID: WallTime] {
        struct Kind: Hashable {
            var userKey: String
            var model: String
            var os: String
        }
        var later: [Kind: WallTime] = [:]
        var successors: [SubscriptionID: WallTime] = [:]
        for facts in found.reversed()
        where facts.recognition == .byToken && !facts.userKey.isEmpty && !facts.device.model.isEmpty {
            // The version of the system may differ, because systems are updated.
            let system = facts.os.split(separator: " ").first.map(String.init) ?? ""
            let kind = Kind(userKey: facts.userKey, model: facts.device.model, os: system)
            successors[facts.subscription] = later[kind]
            later[kind] = facts.created
        }
        return successors
    }
}
