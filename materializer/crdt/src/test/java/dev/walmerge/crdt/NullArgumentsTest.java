package dev.walmerge.crdt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Null for each argument of each public method: refused before anything is changed. */
class NullArgumentsTest {
    /** Where null is a value, or means something. */
    private static final Set<String> TAKEN = Set.of(
            "SharedArray.insert 1",
            "SharedArray.push 0",
            "SharedMap.set 1",
            "SharedText.setAttribute 1",
            "SharedXml.setAttribute 1",
            "Projection.blocks 2",
            "Projection.bodyJson 2",
            "Projection.bodyText 1",
            "Projection.bodyText 2");

    private final Doc doc = Doc.create(false);
    private final Editor editor = doc.edit(1);

    NullArgumentsTest() {
        editor.text("t").insert(0, "abc");
        editor.map("m").set("k", 1);
        editor.array("a").push(1);
        editor.xml("x").insertElement(0, "p");
        doc.discardChanges();
    }

    /** Each kind as a root that is there and one nothing was put in yet. */
    private List<Object> receivers() {
        List<Object> receivers =
                new ArrayList<>(List.of(doc, editor, RelativePosition.of(doc, "t", 1, 0), doc.snapshot()));
        for (String suffix : new String[] {"", "-new"}) {
            receivers.add(editor.text("t" + suffix));
            receivers.add(editor.map("m" + suffix));
            receivers.add(editor.array("a" + suffix));
            receivers.add(editor.xml("x" + suffix));
        }
        receivers.addAll(List.of(Projection.class, Updates.class, StateVectors.class));
        receivers.addAll(List.of(Doc.class, RelativePosition.class, Snapshot.class, DeltaOp.class));
        return receivers;
    }

    @TestFactory
    Stream<DynamicTest> everyMethod() {
        List<DynamicTest> tests = new ArrayList<>();
        for (Object receiver : receivers()) {
            boolean statics = receiver instanceof Class<?>;
            Class<?> of = statics ? (Class<?>) receiver : receiver.getClass();
            for (Method method : of.getMethods()) {
                boolean ours = method.getDeclaringClass().getPackage() == Doc.class.getPackage()
                        && !method.getName().equals("equals");
                if (!ours || Modifier.isStatic(method.getModifiers()) != statics) {
                    continue;
                }
                for (int i = 0; i < method.getParameterCount(); i++) {
                    String name = of.getSimpleName() + "." + method.getName() + " " + i;
                    if (!method.getParameterTypes()[i].isPrimitive() && !TAKEN.contains(name)) {
                        Object[] arguments = arguments(method);
                        arguments[i] = null;
                        tests.add(DynamicTest.dynamicTest(
                                method + " " + i,
                                () -> refused(() -> call(method, statics ? null : receiver, arguments))));
                    }
                }
            }
        }
        assertThat(tests).hasSizeGreaterThan(100);
        return tests.stream();
    }

    private Object[] arguments(Method method) {
        Object[] arguments = new Object[method.getParameterCount()];
        for (int i = 0; i < arguments.length; i++) {
            Class<?> type = method.getParameterTypes()[i];
            // The last array of bytes behind an update is a state vector.
            boolean vector = type == byte[].class && i > 0 && method.getParameterTypes()[i - 1] == byte[].class;
            arguments[i] = type == byte[].class ? new byte[vector ? 1 : 2] : argument(type);
        }
        return arguments;
    }

    private Object argument(Class<?> type) {
        if (type.isEnum()) {
            return type.getEnumConstants()[0];
        }
        List<Object> values =
                List.of(0, 0L, false, "k", List.of(), Map.of(), Limits.DEFAULT, new Id(1, 0), doc, doc.snapshot());
        Runnable nothing = () -> {};
        return Stream.concat(values.stream(), Stream.of(nothing))
                .filter(value -> boxed(type).isInstance(value))
                .findFirst()
                .orElseThrow();
    }

    private static Class<?> boxed(Class<?> type) {
        return type == int.class
                ? Integer.class
                : type == long.class ? Long.class : type == boolean.class ? Boolean.class : type;
    }

    private static void call(Method method, Object receiver, Object[] arguments) throws Throwable {
        try {
            method.invoke(receiver, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private void refused(ThrowingCallable call) {
        byte[] before = doc.encodeState(UpdateFormat.V2);
        List<Root> roots = doc.roots();
        assertThatThrownBy(call).isInstanceOf(NullPointerException.class);
        assertThat(doc.roots()).isEqualTo(roots);
        assertThat(doc.drainChanges(UpdateFormat.V1)).isNull();
        assertThat(doc.rest()).isTrue();
        assertThat(doc.encodeState(UpdateFormat.V2)).isEqualTo(before);
    }

    @Test
    void nullWithin() {
        Map<String, Object> keyless = Collections.singletonMap(null, 1);
        SharedText text = editor.text("t");
        refused(() -> text.format(0, 1, keyless));
        refused(() -> text.format(0, 0, keyless));
        refused(() -> text.insert(0, "x", keyless));
        refused(() -> text.insertEmbed(0, keyless, Map.of()));
        refused(() -> text.insertEmbed(0, Map.of(), keyless));
        refused(() -> text.applyDelta(Arrays.asList(DeltaOp.delete(1), null)));
        refused(() -> text.applyDelta(List.of(DeltaOp.delete(1), DeltaOp.retain(1, keyless))));
        refused(() -> text.applyDelta(List.of(DeltaOp.delete(1), DeltaOp.insertEmbed(Map.of("x", keyless), Map.of()))));
        refused(() -> editor.map("m").set("k", List.of(keyless)));
        refused(() -> editor.array("new").pushAll(List.of(1, keyless)));
        refused(() -> new DeltaOp("x", null, 0, 0, null));
        refused(() -> Updates.merge(UpdateFormat.V1, Arrays.asList(new byte[2], null)));
    }
}
