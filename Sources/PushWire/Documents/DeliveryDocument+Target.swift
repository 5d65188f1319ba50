import PushModel

/// The `target` object: exactly one of what chooses, and beside it what leaves some of those out.
extension DocumentReader {
    private static var baseKeys: [String] {
        ["all", "userKeys", "tokens", "recipients", "where"] + sourceKeys
    }
    /// Those that another delivery's messages say.
    private static var sourceKeys: [String] { ["recipientsOf", "openersOf", "nonOpenersOf"] }
    private static var listed: ClosedRange<Int> { 1...Target.maximumListed }

    /// Whether a document chooses anybody, and does not only leave out some of others.
    static func hasChoice(_ document: JSONValue) -> Bool {
        guard case .object(let members)? = document["target"] else { return document["target"] != nil }
        return members.contains { baseKeys.contains($0.key) }
            || !members.contains { refinementKeys.contains($0.key) }
    }

    private static let refinementKeys = ["exclude", "sample", "oncePerUser"]

    /// - Parameter refinement: what it says of recipients from elsewhere.
    /// - Returns: nil where they are from elsewhere.
    mutating func target(
        of root: Object, source: DeliveryDocument.TargetSource, _ refinement: inout TargetRefinement
    ) -> Target? {
        if source == .document { require("target", in: root) }
        let keys = Self.baseKeys + Self.refinementKeys
        guard let object = object("target", of: root, keys: keys) else { return nil }
        let refined = self.refinement(of: object)
        let given = object.keys.filter(Self.baseKeys.contains)
        guard source == .document else {
            refinement = refined
            if !given.isEmpty || object.keys.isEmpty {
                note(object.path, "the recipients are given beside the document; remove one of the two")
            }
            return nil
        }
        guard let key = given.first, given.count == 1 else {
            note(object.path, "allowed is exactly one of \(Self.baseKeys.joined(separator: ", "))")
            return nil
        }
        if refined.isOncePerUser, Self.sourceKeys.contains(key) {
            note(
                object.path(of: "oncePerUser"),
                "not beside \(key), whose messages say who is meant; remove one of the two")
        }
        var variables: RecipientVariables?
        let base = key == "recipients" ? recipients(of: object, &variables) : base(key, of: object)
        return base.map {
            var target = Target($0).refined(by: refined)
            target.variables = variables
            return target
        }
    }

    private mutating func refinement(of target: Object) -> TargetRefinement {
        let exclusion = exclusion(of: target)
        let sample = sample(of: target)
        return TargetRefinement(
            excluding: exclusion, sample: sample, isOncePerUser: boolean("oncePerUser", of: target) ?? false)
    }

    private mutating func base(_ key: String, of object: Object) -> Target.Base? {
        switch key {
        case "all":
            if boolean(key, of: object) == false { note(object.path(of: key), "allowed is true") }
            return .all
        case "userKeys": return userKeys(of: object).map(Target.Base.userKeys)
        case "tokens": return tokens(of: object).map(Target.Base.tokens)
        case "recipientsOf": return delivery(key, of: object).map(Target.Base.recipients)
        case "openersOf": return delivery(key, of: object).map(Target.Base.openers)
        case "nonOpenersOf": return delivery(key, of: object).map(Target.Base.nonOpeners)
        default: return condition(key, of: object)
        }
    }

    private mutating func userKeys(of object: Object) -> [String]? {
        strings("userKeys", of: object, count: Self.listed, .bytes(SubscriberLimits.userKeyBytes))
    }

    private mutating func tokens(of object: Object) -> [String]? {
        strings("tokens", of: object, count: Self.listed, .token)
    }

    private mutating func delivery(_ key: String, of object: Object) -> DeliveryID? {
        integer(key, of: object, in: 1...Int64(Int32.max)).map(DeliveryID.init(rawValue:))
    }

    // MARK: - Refinements

    private mutating func exclusion(of target: Object) -> Target.Exclusion {
        guard let object = object("exclude", of: target, keys: ["userKeys", "tokens"]) else {
            return Target.Exclusion()
        }
        if object.value("userKeys") == nil, object.value("tokens") == nil {
            note(object.path, "names nobody; give userKeys, tokens or both")
        }
        return Target.Exclusion(userKeys: userKeys(of: object) ?? [], tokens: tokens(of: object) ?? [])
    }

    /// A share, or a share with its seed and the place from which on it is taken.
    private mutating func sample(of target: Object) -> TargetSample? {
        guard let value = target.value("sample") else { return nil }
        let path = target.path(of: "sample")
        guard case .object = value else {
            return self.share(value, at: path).flatMap { TargetSample(share: $0) }
        }
        guard let object = object(value, at: path, keys: ["share", "seed", "from"]) else { return nil }
        require("share", in: object)
        let (sharePath, fromPath) = (object.path(of: "share"), object.path(of: "from"))
        let share = object.value("share").flatMap { self.share($0, at: sharePath) }
        let from =
            object.value("from").map { self.places($0, at: fromPath, 0...TargetSample.places - 1) } ?? 0
        let seed = integer("seed", of: object, in: TargetSample.seeds)
        guard let share, let from else { return nil }
        guard share <= TargetSample.places - from else {
            note(path, "goes beyond the whole; allowed are from and share of at most 1 together")
            return nil
        }
        return TargetSample(share: share, from: from, seed: seed ?? 0)
    }

    mutating func share(_ value: JSONValue, at path: String) -> Int? {
        places(value, at: path, 1...TargetSample.places)
    }

    /// A fraction of the whole, in places.
    private mutating func places(_ value: JSONValue, at path: String, _ range: ClosedRange<Int>) -> Int? {
        let allowed =
            range.contains(0)
            ? "allowed is a number from 0 to below 1, of at most 6 decimals"
            : "allowed is a number above 0 and up to 1, of at most 6 decimals"
        let number: Double
        switch value {
        case .integer(let integer): number = Double(integer)
        case .real(let real): number = real
        default:
            note(path, "found \(value.kind); \(allowed)")
            return nil
        }
        let places = (number * Double(TargetSample.places)).rounded()
        // What six decimals say is at most a few of the last bits away from a whole number of places.
        guard let exact = Int(exactly: places), range.contains(exact),
            (number * Double(TargetSample.places) - places).magnitude < 0.000_1
        else {
            note(path, "out of range; \(allowed)")
            return nil
        }
        return exact
    }
}
