"""The beginner's quickstart on pictures of the same shape as MNIST's that are made here: ten patterns in noise.

Prints the version and the accuracy after training.
"""

import numpy as np
import tensorflow as tf


def pictures(patterns, generator, count):
    labels = generator.randint(0, 10, count)
    noise = generator.normal(0, 0.3, (count, 28, 28))
    return np.clip(patterns[labels] + noise, 0, 1).astype("float32"), labels


def main():
    generator = np.random.RandomState(7)
    patterns = (generator.uniform(size=(10, 28, 28)) < 0.2).astype("float32")
    x_train, y_train = pictures(patterns, generator, 6000)
    x_test, y_test = pictures(patterns, generator, 1000)
    model = tf.keras.models.Sequential(
        [
            tf.keras.layers.Flatten(input_shape=(28, 28)),
            tf.keras.layers.Dense(128, activation="relu"),
            tf.keras.layers.Dropout(0.2),
            tf.keras.layers.Dense(10, activation="softmax"),
        ]
    )
    model.compile(optimizer="adam", loss="sparse_categorical_crossentropy", metrics=["accuracy"])
    model.fit(x_train, y_train, epochs=2, verbose=0)
    _, accuracy = model.evaluate(x_test, y_test, verbose=0)

    print(tf.__version__, f"{accuracy:.4f}")


if __name__ == "__main__":
    main()
