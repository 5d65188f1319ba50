/// The fields of a form. Each method returns one field with its label, its hint, and its errors, which
/// screen readers connect to it.
package struct Fields: Sendable {
    private let errors: FormErrors
    /// Markup below fields, by the fields' names.
    private let below: [String: HTML]
    /// Probable mistakes in the values of fields, by the fields' names.
    private let warnings: [String: [Phrase]]

    package init(
        _ errors: FormErrors = FormErrors(), below: [String: HTML] = [:], warnings: [String: [Phrase]] = [:]
    ) {
        (self.errors, self.below, self.warnings) = (errors, below, warnings)
    }

    /// A choice among several: a value, its label, and an explanation.
    package struct Choice: Sendable {
        package var value: String
        package var label: HTML
        package var hint: HTML?

        package init(_ value: String, _ label: HTML, hint: HTML? = nil) {
            (self.value, self.label, self.hint) = (value, label, hint)
        }
        package init(_ value: String, _ label: Phrase, hint: Phrase? = nil) {
            self.init(value, "\(label)", hint: hint.map { "\($0)" })
        }
    }

    /// The errors that no field of the form shows. Put them above the fields.
    /// - Parameter names: The names of the form's fields.
    package func others(besides names: Set<String>) -> HTML {
        HTML.errors(errors.outside(names), of: errors)
    }

    /// - Parameters:
    ///   - kind: The type of the `input`, such as `number` or `datetime-local`.
    ///   - attributes: Further attributes of the `input`, preceded by a space.
    package func text(
        _ label: Phrase, _ name: String, value: String = "", kind: StaticString = "text", hint: Phrase? = nil,
        autocomplete: StaticString? = nil, isRequired: Bool = false, maxLength: Int? = nil,
        attributes: HTML = .empty
    ) -> HTML {
        field(label, name, hint) { id, described in
            """
            <input class="input" id="\(id)" name="\(name)" type="\(kind.description)" value="\(value)"\
            \("autocomplete", is: autocomplete?.description)\("maxlength", is: maxLength.map { "\($0)" })\
            \("required", if: isRequired)\(attributes)\(described)>
            """
        }
    }

    package func number(
        _ label: Phrase, _ name: String, value: Int?, in range: ClosedRange<Int>? = nil, hint: Phrase? = nil,
        isRequired: Bool = false
    ) -> HTML {
        let limits: HTML? = range.map { " min=\"\(number: $0.lowerBound)\" max=\"\(number: $0.upperBound)\"" }
        return text(
            label, name, value: value.map { "\($0)" } ?? "", kind: "number", hint: hint,
            isRequired: isRequired, attributes: "\(limits) inputmode=\"numeric\"")
    }

    /// A field for a password. Its value is never part of a page.
    package func password(
        _ label: Phrase, _ name: String, hint: Phrase? = nil, autocomplete: StaticString
    ) -> HTML {
        text(label, name, kind: "password", hint: hint, autocomplete: autocomplete, isRequired: true)
    }

    /// A field for several lines.
    package func area(
        _ label: Phrase, _ name: String, value: String = "", rows: Int = 3, hint: Phrase? = nil,
        isRequired: Bool = false, attributes: HTML = .empty
    ) -> HTML {
        field(label, name, hint) { id, described in
            // HTML drops the first line break of the content.
            """
            <textarea class="input" id="\(id)" name="\(name)" rows="\(number: rows)"\
            \("required", if: isRequired)\(attributes)\(described)>
            \(value)</textarea>
            """
        }
    }

    package func file(
        _ label: Phrase, _ name: String, accept: String, hint: Phrase? = nil, isRequired: Bool = false
    ) -> HTML {
        field(label, name, hint) { id, described in
            """
            <input class="input" id="\(id)" name="\(name)" type="file" accept="\(accept)"\
            \("required", if: isRequired)\(described)>
            """
        }
    }

    package func select(
        _ label: Phrase, _ name: String, _ choices: [Choice], value: String?, hint: Phrase? = nil,
        attributes: HTML = .empty
    ) -> HTML {
        let options = choices.map { choice -> HTML in
            """
            <option value="\(choice.value)"\("selected", if: choice.value == value)>\(choice.label)</option>
            """
        }
        return field(label, name, hint) { id, described in
            """
            <select class="input" id="\(id)" name="\(name)"\(attributes)\(described)>\(options)</select>
            """
        }
    }

    /// A few choices next to each other. The person chooses one.
    package func choices(
        _ label: Phrase, _ name: String, _ choices: [Choice], value: String?, hint: Phrase? = nil
    ) -> HTML {
        let options = choices.map { choice -> HTML in
            """
            <label><input type="radio" name="\(name)" value="\(choice.value)"\
            \("checked", if: choice.value == value)>\(choice.label)</label>
            """
        }
        let width: HTML = choices.count == 2 ? " choices-two" : ""
        return """
            <fieldset class="field"\(describedBy(name, hint, isGroup: true))><legend>\(label)</legend>\
            <div class="choices\(width)">\(options)</div>\(notes(name, hint))</fieldset>
            """
    }

    /// Several choices below each other with explanations. The person chooses one.
    package func radios(
        _ label: Phrase, _ name: String, _ choices: [Choice], value: String?, hint: Phrase? = nil
    ) -> HTML {
        let options = choices.map { mark("radio", name, $0, isOn: $0.value == value) }
        return """
            <fieldset class="field"\(describedBy(name, hint, isGroup: true))><legend>\(label)</legend>\
            \(options)\(notes(name, hint))</fieldset>
            """
    }

    /// Several choices. The person chooses any number of them. The form has one field for each chosen value.
    package func checks(
        _ label: Phrase, _ name: String, _ choices: [Choice], values: Set<String>, hint: Phrase? = nil
    ) -> HTML {
        let options = choices.map { mark("checkbox", name, $0, isOn: values.contains($0.value)) }
        return """
            <fieldset class="field"\(describedBy(name, hint, isGroup: true))><legend>\(label)</legend>\
            \(options)\(notes(name, hint))</fieldset>
            """
    }

    /// A single check box. ``FormFields/isOn(_:)`` reads it.
    package func check(_ label: Phrase, _ name: String, isOn: Bool, hint: Phrase? = nil) -> HTML {
        let choice = Choice("on", label, hint: hint)
        return "\(mark("checkbox", name, choice, isOn: isOn, describedBy(name, nil)))\(notes(name, nil))"
    }

    private func mark(
        _ kind: StaticString, _ name: String, _ choice: Choice, isOn: Bool, _ described: HTML = .empty
    ) -> HTML {
        let hint: HTML? = choice.hint.map { "<span class=\"hint\">\($0)</span>" }
        return """
            <label class="check"><input type="\(kind.description)" name="\(name)" value="\(choice.value)"\
            \("checked", if: isOn)\(described)><span>\(choice.label)</span>\(hint)</label>
            """
    }

    private func field(
        _ label: Phrase, _ name: String, _ hint: Phrase?, _ input: (_ id: String, _ described: HTML) -> HTML
    ) -> HTML {
        let id = Self.id(of: name)
        return """
            <div class="field"><label for="\(id)">\(label)</label>\(input(id, describedBy(name, hint)))\
            \(notes(name, hint))</div>
            """
    }

    static func id(of name: String) -> String { "field-\(name)" }

    /// - Parameter isGroup: Whether the element is a group, which cannot be invalid itself.
    private func describedBy(_ name: String, _ hint: Phrase?, isGroup: Bool = false) -> HTML {
        let id = Self.id(of: name)
        let hasErrors = errors.fields[name] != nil
        let ids = [
            hint == nil ? nil : "\(id)-hint", hasErrors ? "\(id)-error" : nil,
            warnings[name] == nil ? nil : "\(id)-warning",
        ].compactMap(\.self)
        return """
            \("aria-describedby", is: ids.isEmpty ? nil : ids.joined(separator: " "))\
            \("aria-invalid", is: hasErrors && !isGroup ? "true" : nil)
            """
    }

    private func notes(_ name: String, _ hint: Phrase?) -> HTML {
        let id = Self.id(of: name)
        let isTranslated = Presentation.current.language != .english
        let language = errors.isForeign && isTranslated ? "en" : nil
        let help: HTML? = hint.map { "<p class=\"hint\" id=\"\(id)-hint\">\($0)</p>" }
        let errors: HTML? = errors.fields[name].map { texts in
            """
            <p class="error" id="\(id)-error"><span\("lang", is: language)>\
            \(texts.map { text -> HTML in
                self.errors.english.contains(text) && isTranslated ? HTML.inEnglish(text) : HTML(text)
            }.joined(by: "<br>"))</span></p>
            """
        }
        let warning: HTML? = warnings[name].map { texts in
            """
            <p class="notice notice-warn small" id="\(id)-warning">\(texts.map { "\($0)" as HTML }
                .joined(by: "<br>"))</p>
            """
        }
        return "\(below[name])\(help)\(errors)\(warning)"
    }
}
