package import PushModel
internal import PushXML

/// The XML of `additionalParams`: `<additionalParams><param name="…" value="…" /></additionalParams>` from
/// iOS, `<additionalParameters><param name="…" value="…"/></additionalParameters>` from Android. Devices of
/// both platforms may use either root and either spelling. Other elements are ignored.
package enum AdditionalParameters {
    /// No honest document exceeds these limits.
    private static let limits = XMLLimits(
        bytes: RegistrationForm.maximumBytes, depth: 4, elements: 1_000, attributesOfElement: 8,
        bytesOfName: 64, bytesOfValue: SubscriberLimits.parametersBytes)
    private static let roots: Set = ["additionalParams", "additionalParameters"]

    /// Returns the parameters in order of their names. A parameter with an empty name is left out, because it
    /// has no meaning. Android sends one if the app gave the parameter no name.
    package static func read(_ bytes: [UInt8]) throws(RegistrationRefusal) -> [RegistrationParameter] {
        let root = try root(of: bytes)
        guard roots.contains(root.name) else {
            throw .parameters(why: "the root element must be additionalParams or additionalParameters")
        }
        var parameters: [RegistrationParameter] = []
        for (index, element) in root.children.enumerated() where element.name == "param" {
            guard let name = element.attribute("name"), let value = element.attribute("value") else {
                throw .parameters(why: "param \(index + 1) has no name or no value")
            }
            guard !name.value.isEmpty else { continue }
            parameters.append(RegistrationParameter(name: name.value, value: value.value))
        }
        parameters.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        for (one, next) in zip(parameters, parameters.dropFirst())
        where one.name.utf8.elementsEqual(next.name.utf8) {
            throw .parameters(why: "\(one.name.printable(atMost: 64)) is given more than once")
        }
        guard (ParameterText.json(parameters)?.utf8.count ?? 0) <= SubscriberLimits.parametersBytes else {
            throw .tooLong(field: "additionalParams", limit: SubscriberLimits.parametersBytes)
        }
        return parameters
    }

    private static func root(of bytes: [UInt8]) throws(RegistrationRefusal) -> DocumentElement {
        do throws(XMLError) { return try XMLReader.root(of: bytes, .decodedText, within: limits) } catch {
            throw .parameters(why: "\(error.position.line):\(error.position.column): \(error.message)")
        }
    }
}
