package import PushModel
internal import PushXML

/// The XML of `additionalParams`: `<additionalParams><param name="…" value="…" /></additionalParams>` from
/// iOS, `<additionalParameters><param name="…" value="…"/></additionalParameters>` from Android. Devices of
/// both platforms may use either root and either spelling. Other elements, other attributes of the root and
/// text are refused: if they were ignored, a document with a misspelled element would count as an empty root,
/// which erases all parameters of the device.
package enum AdditionalParameters {
    /// No honest document exceeds these limits.
    private static let limits = XMLLimits(
        bytes: RegistrationForm.maximumBytes, depth: 4, elements: 1_000, attributesOfElement: 8,
        bytesOfName: 64, bytesOfValue: SubscriberLimits.parametersBytes)
    private static let roots: Set = ["additionalParams", "additionalParameters"]
    private static let example = #"<param name="city" value="Paris" />"#

    /// Returns the parameters in order of their names. A parameter with an empty name is left out, because it
    /// has no meaning. Android sends one if the app gave the parameter no name.
    package static func read(_ bytes: [UInt8]) throws(RegistrationRefusal) -> [RegistrationParameter] {
        let root = try root(of: bytes)
        try check(root)
        var parameters: [RegistrationParameter] = []
        for element in root.children {
            try check(parameter: element)
            guard let name = element.attribute("name"), let value = element.attribute("value") else {
                throw fault(at: element.position, "param has no name or no value")
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

    private static func check(_ root: DocumentElement) throws(RegistrationRefusal) {
        guard roots.contains(root.name) else {
            throw .parameters(why: "the root element must be additionalParams or additionalParameters")
        }
        // Libraries that write XML may add attributes that concern namespaces.
        let isForeign = { (name: String) in name == "xmlns" || name.utf8.contains(UInt8(ascii: ":")) }
        if let attribute = root.attributes.first(where: { !isForeign($0.name) }) {
            let name = attribute.name.printable(atMost: 64)
            throw fault(at: attribute.namePosition, "\(root.name) has the unknown attribute \(name)")
        }
        guard !root.hasText else { throw fault(at: root.position, "\(root.name) contains text") }
    }

    private static func check(parameter element: DocumentElement) throws(RegistrationRefusal) {
        guard element.name == "param" else {
            let name = element.name.printable(atMost: 64)
            throw fault(at: element.position, "the element must be param, not \(name)")
        }
        guard element.children.isEmpty, !element.hasText else {
            throw fault(at: element.position, "param contains text or other elements")
        }
    }

    private static func fault(at position: SourcePosition, _ what: String) -> RegistrationRefusal {
        .parameters(why: "\(position.line):\(position.column): \(what); write each parameter as \(example)")
    }

    private static func root(of bytes: [UInt8]) throws(RegistrationRefusal) -> DocumentElement {
        guard bytes.contains(UInt8(ascii: "<")) else {
            throw .parameters(why: "it must be XML: <additionalParams>\(example)</additionalParams>")
        }
        do throws(XMLError) { return try XMLReader.root(of: bytes, .decodedText, within: limits) } catch {
            throw .parameters(why: "\(error.position.line):\(error.position.column): \(error.message)")
        }
    }
}
